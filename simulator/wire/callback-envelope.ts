import type { KeyObject } from "node:crypto";
import type { Merchant } from "../merchants/merchant.ts";
import { numberOnWire, type ResultObject } from "../orders/result-object.ts";
import { encryptBody } from "./cipher.ts";
import { writeExactJson } from "./exact-json.ts";
import { type EnvelopeFields, signEnvelope } from "./signature.ts";

/** A callback before it is sealed: what faults may change. */
export interface CallbackDraft {
  readonly merchant: Merchant;
  readonly id: string;
  readonly merchantId: string;
  readonly eventName: string;
  readonly timestampMilliseconds: number;
  readonly result: ResultObject;
  /** Stands in for the result object where that is to be no object at all. */
  readonly plaintext?: string;
  readonly signingKey: KeyObject;
  readonly aesKey: Buffer;
}

/** The envelope of §2.10, signed and encrypted by the merchant's profile; `bodyInstead` replaces what was signed. */
export function sealCallback(draft: CallbackDraft, bodyInstead?: (body: string) => string): string {
  const { profile } = draft.merchant;
  const plaintext = plaintextOf(draft);
  const body = encryptBody(profile, draft.aesKey, plaintext);
  const fields = envelopeFields(draft);
  const signedBody = profile.signs === "plaintext" ? plaintext : body;
  const sign = signEnvelope(profile, draft.signingKey, { ...fields, body: signedBody });
  return JSON.stringify({
    ...fields,
    sign,
    body: bodyInstead === undefined ? body : bodyInstead(body),
  });
}

export function plaintextOf(draft: CallbackDraft): string {
  return draft.plaintext ?? writeExactJson(draft.result);
}

function envelopeFields(draft: CallbackDraft): EnvelopeFields {
  const timestamp = numberOnWire(draft.timestampMilliseconds, draft.merchant.profile);
  return {
    id: draft.id,
    merchantId: draft.merchantId,
    eventName: draft.eventName,
    format: "json",
    charset: "utf-8",
    encryptType: "AES",
    signType: "RSA",
    timestamp: typeof timestamp === "string" ? timestamp : draft.timestampMilliseconds,
  };
}
