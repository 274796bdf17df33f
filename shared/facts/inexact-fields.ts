import { inexactNumbers } from "../money/exact-numbers.ts";

/** The fields of a result object that say who, what and how much (§2.9, §2.11, §2.12). */
const exactFields = new Set([
  "merchantId",
  "referOrderNo",
  "outOrderNo",
  "transactionId",
  "paymentId",
  "refundId",
  "referRefundNo",
  "paymentAmount",
  "payAmount",
  "refundAmount",
]);

/**
 * Whether JSON.parse would change a number in one of the fields above. `parent` is the JSON pointer of the result
 * object in the text. Times and fields that the interface does not name may hold any number.
 */
export function hasInexactField(json: string, parent = ""): boolean {
  const depth = parent.split("/").length;
  for (const { pointer } of inexactNumbers(json, depth)) {
    if (!pointer.startsWith(`${parent}/`)) continue;
    if (exactFields.has(pointer.slice(parent.length + 1))) return true;
  }
  return false;
}
