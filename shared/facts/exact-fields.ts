import { membersOf, sourceIn } from "../envelope/source-text.ts";
import { PaycastError } from "../errors/paycast-error.ts";
import { plainDecimal } from "../money/exact-numbers.ts";
import { isResultObject, type ResultObject } from "./subject.ts";

/** The identifiers of a result object (§2.9, §2.11, §2.12). */
const ids = [
  "merchantId",
  "referOrderNo",
  "outOrderNo",
  "transactionId",
  "paymentId",
  "refundId",
  "referRefundNo",
];
const amounts = ["paymentAmount", "payAmount", "refundAmount"];
const idsAndAmounts = [...ids, ...amounts];
const subjects = ["referOrderNo", "outOrderNo", "paymentId"];

/**
 * The result object with each number in the fields above as text, because JSON.parse may have rounded it: `1E+3` is
 * "1000". Throws `number-inexact` if a number cannot be read exactly. Times and unknown fields may contain any number.
 */
export function withExactFields(result: unknown, json: string): unknown {
  if (!isResultObject(result)) return result;
  const names = numbersIn(result, idsAndAmounts);
  const exact = withTexts(result, json, names);
  if (names.some((name) => exact[name] === undefined)) {
    throw new PaycastError("number-inexact", "A number cannot be read exactly as it is written.");
  }
  return exact;
}

/** The same for the fields that name an aggregate. A number that cannot be read exactly becomes undefined. */
export function withExactSubject(result: unknown, json: string): unknown {
  if (!isResultObject(result)) return result;
  return withTexts(result, json, numbersIn(result, subjects));
}

/** The same for amounts that are only shown. */
export function withExactAmounts(result: unknown, json: string): unknown {
  if (!isResultObject(result)) return result;
  return withTexts(result, json, numbersIn(result, amounts));
}

function numbersIn(result: ResultObject, names: readonly string[]): readonly string[] {
  return names.filter((name) => typeof result[name] === "number");
}

/** A number that cannot be read exactly becomes undefined. */
function withTexts(result: ResultObject, json: string, names: readonly string[]): ResultObject {
  if (names.length === 0) return result;
  const members = membersOf(json);
  const exact: Record<string, unknown> = { ...result };
  for (const name of names) exact[name] = readNumber(name, sourceIn(json, members, name));
  return exact;
}

/** Some senders write an id of digits as a number, which must be whole. */
function readNumber(name: string, written = ""): string | undefined {
  const decimal = plainDecimal(written);
  return ids.includes(name) && decimal?.includes(".") ? undefined : decimal;
}
