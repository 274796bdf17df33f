import { createPrivateKey, type KeyObject, randomBytes, randomInt } from "node:crypto";
import { makeRsaKeys } from "../merchants/key-material.ts";
import { decimalsOf } from "../orders/money.ts";
import { newTransactionId } from "../orders/order.ts";
import {
  type CallbackDraft,
  plaintextOf,
  type ResultObject,
  sealCallback,
} from "../wire/callback-envelope.ts";
import { encryptBody } from "../wire/cipher.ts";
import { JsonNumber } from "../wire/exact-json.ts";
import { readBytes, writeBytes } from "../wire/wire-text.ts";
import type { CallbackFault, ConflictFault, ContentFault, ForgeryFault } from "./fault.ts";

/** Changes the content of an authentic callback. Every retry has the same wrong content. */
export function spoilContent(
  draft: CallbackDraft,
  faults: readonly CallbackFault[],
): CallbackDraft {
  let spoiled = draft;
  for (const fault of faults) spoiled = spoil(spoiled, fault);
  return spoiled;
}

function spoil(draft: CallbackDraft, fault: CallbackFault): CallbackDraft {
  if (fault.kind === "unknown-event") return { ...draft, eventName: fault.eventName };
  if (fault.kind === "malformed-result") return malformed(draft, fault.how);
  if (fault.kind === "wrong-amount") {
    const change = fault.changes === "amount" ? oneMore : anotherCurrency;
    return { ...draft, result: change(draft.result) };
  }
  if (fault.kind === "other-id") return withOtherId(draft, fault.how);
  return draft;
}

type IdForm = Extract<ContentFault, { kind: "other-id" }>["how"];

/** Still unique. A number has at most 15 digits, so that every JSON parser reads it exactly. */
function withOtherId(draft: CallbackDraft, how: IdForm): CallbackDraft {
  if (how === "braces") return { ...draft, id: `{${draft.id}}` };
  if (how === "text") return { ...draft, id: `callback/${draft.id} (no. 1)` };
  return { ...draft, id: String(randomInt(1, 2 ** 47)), hasNumericId: true };
}

/** The same callback with different content. Only its id stays. */
export function contradict(draft: CallbackDraft, fault: ConflictFault): CallbackDraft {
  return fault.changes === "amount"
    ? { ...draft, result: oneMore(draft.result) }
    : { ...draft, result: anotherTransaction(draft.result) };
}

export function anotherTransaction(result: ResultObject): ResultObject {
  return { ...result, transactionId: newTransactionId() };
}

/** Seals a callback that the receiver must reject. */
export async function sealForged(
  draft: CallbackDraft,
  faults: readonly ForgeryFault[],
): Promise<string> {
  let forged = draft;
  for (const fault of faults) forged = await forge(forged, fault);
  const tampered = faults.find((fault) => fault.kind === "tampered-body");
  return tampered === undefined
    ? sealCallback(forged)
    : sealCallback(forged, (body) => tamper(forged, body, tampered.how));
}

async function forge(draft: CallbackDraft, fault: ForgeryFault): Promise<CallbackDraft> {
  switch (fault.kind) {
    case "wrong-key":
      return fault.which === "aes"
        ? { ...draft, aesKey: randomBytes(draft.aesKey.length) }
        : { ...draft, signingKey: await foreignKey() };
    case "wrong-merchant":
      return fault.where === "envelope"
        ? { ...draft, merchantId: fault.merchantId }
        : { ...draft, result: { ...draft.result, merchantId: fault.merchantId } };
    case "old-timestamp":
      return {
        ...draft,
        timestampMilliseconds: Math.round(draft.timestampMilliseconds - fault.seconds * 1000),
      };
    case "tampered-body":
      return draft;
  }
}

type Malformation = Extract<ContentFault, { kind: "malformed-result" }>["how"];

function malformed(draft: CallbackDraft, how: Malformation): CallbackDraft {
  if (how === "not-json") return { ...draft, plaintext: plaintextOf(draft).slice(0, -10) };
  if (how === "missing-fields") {
    return { ...draft, result: { merchantId: draft.result["merchantId"] } };
  }
  return {
    ...draft,
    result: { ...draft.result, status: 7, paymentAmount: "a lot", refundAmount: [] },
  };
}

const amountNames = ["paymentAmount", "refundAmount"];

/** Adds one minor unit to each amount, whether it is a JSON number or a string. */
function oneMore(result: ResultObject): ResultObject {
  const changed = Object.entries(result).map(([name, value]) => {
    if (!amountNames.includes(name)) return [name, value];
    if (value instanceof JsonNumber) return [name, new JsonNumber(increment(value.text))];
    return [name, increment(String(value))];
  });
  return Object.fromEntries(changed);
}

/** Currencies with the same decimals, in pairs, so that the amount stays readable. */
const otherCurrencies: Readonly<Record<number, readonly [string, string]>> = {
  0: ["JPY", "KRW"],
  2: ["EUR", "USD"],
  3: ["KWD", "TND"],
};

/** A refund names no currency. */
function anotherCurrency(result: ResultObject): ResultObject {
  const { currency } = result;
  const pair = otherCurrencies[decimalsOf(String(currency)) ?? 2];
  const other = pair?.find((code) => code !== currency);
  return currency === undefined || other === undefined ? result : { ...result, currency: other };
}

function increment(decimal: string): string {
  if (!/^\d+(?:\.\d+)?$/.test(decimal)) return `${decimal}1`;
  const digits = decimal.replace(".", "");
  const more = (BigInt(digits) + 1n).toString().padStart(digits.length, "0");
  const point = decimal.includes(".") ? decimal.length - decimal.indexOf(".") - 1 : 0;
  return point === 0 ? more : `${more.slice(0, -point)}.${more.slice(-point)}`;
}

/**
 * `plaintext` is the worst case: an attacker with the AES key changes the amount and keeps the signature. `ciphertext`
 * is one bit that changed in transit.
 */
function tamper(draft: CallbackDraft, body: string, how: "plaintext" | "ciphertext"): string {
  const { profile } = draft;
  if (how === "plaintext") {
    const changed = plaintextOf({ ...draft, result: oneMore(draft.result) });
    // A malformed result object may have no amount to change.
    const plaintext = changed === plaintextOf(draft) ? `${changed} ` : changed;
    return encryptBody(profile, draft.aesKey, plaintext);
  }
  const bytes = Buffer.from(readBytes(body, profile.bodyEncoding) ?? body);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  return writeBytes(bytes, profile.bodyEncoding);
}

let foreign: Promise<KeyObject> | undefined;

/** Created at the first use, because generating an RSA key is slow. */
function foreignKey(): Promise<KeyObject> {
  foreign ??= makeRsaKeys().then((pair) => createPrivateKey(pair.privateKey));
  return foreign;
}
