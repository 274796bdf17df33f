import { keyOfId } from "../../shared/envelope/deduplication.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import { recordsOfCallback } from "../records/read-records.ts";
import { merchantIdsOf, type Target } from "../target/target.ts";
import { type ReceiptEntry, toReceiptEntry } from "./receipt-entry.ts";

/**
 * The receipts of a callback, by its id as the service writes it, with or without dashes. More than one if different
 * content came under one id. Throws `nothing-stored`.
 */
export async function findCallback(target: Target, callbackId: string): Promise<ReceiptEntry[]> {
  const found = await Promise.all(
    merchantIdsOf(target).map((merchantId) => recordsOfCallback(target, merchantId, callbackId)),
  );
  const entries = found.flat().map(toReceiptEntry);
  if (entries.length > 0) return entries;
  throw new PaycastError("nothing-stored", isGuid(callbackId) ? notStored : notAnId);
}

function isGuid(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(keyOfId(text));
}

const notStored =
  "No callback with this id is stored. It was never accepted, its record has expired, or the merchant's wire profile does not sign the id: then look for the order instead.";
const notAnId =
  "Nothing is stored under this, and it is not a callback's id: that has 32 digits and letters from a to f, with or without dashes. For an order number: npx paycast order ORDER_NO";
