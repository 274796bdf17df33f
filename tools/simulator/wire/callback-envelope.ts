import type { KeyObject } from "node:crypto";
import { encryptBody } from "./cipher.ts";
import { type WritableJson, writeExactJson } from "./exact-json.ts";
import { numberOnWire, type WireProfile } from "./profile.ts";
import { type EnvelopeFields, signEnvelope } from "./signature.ts";

/** A result object (§2.11, §2.12) before it is written. Faults may change its fields. */
export interface ResultObject {
  [name: string]: WritableJson;
}

/** A callback before it is signed and encrypted. Faults may change its fields. */
export interface CallbackDraft {
  readonly profile: WireProfile;
  readonly id: string;
  /** The id is sent as a JSON number. It must have digits only. */
  readonly hasNumericId?: boolean;
  readonly merchantId: string;
  readonly eventName: string;
  readonly timestampMilliseconds: number;
  readonly result: ResultObject;
  /** Sent instead of the result object, for a callback whose content is not JSON. */
  readonly plaintext?: string;
  readonly signingKey: KeyObject;
  readonly aesKey: Buffer;
}

/** Writes the envelope of §2.10. `bodyInstead` replaces the body after signing, so the signature is wrong. */
export function sealCallback(draft: CallbackDraft, bodyInstead?: (body: string) => string): string {
  const { profile } = draft;
  const plaintext = plaintextOf(draft);
  const body = encryptBody(profile, draft.aesKey, plaintext);
  const fields = envelopeFields(draft);
  const signedBody = profile.signs === "plaintext" ? plaintext : body;
  const sign = signEnvelope(profile, draft.signingKey, { ...fields, body: signedBody });
  const sentBody = bodyInstead === undefined ? body : bodyInstead(body);
  return writeExactJson({ ...fields, sign, body: sentBody }, profile.jsonStyle);
}

export function plaintextOf(draft: CallbackDraft): string {
  return draft.plaintext ?? writeExactJson(draft.result, draft.profile.jsonStyle);
}

function envelopeFields(draft: CallbackDraft): EnvelopeFields {
  const timestamp = numberOnWire(draft.timestampMilliseconds, draft.profile);
  return {
    id: draft.hasNumericId === true ? Number(draft.id) : draft.id,
    merchantId: draft.merchantId,
    eventName: draft.eventName,
    format: "json",
    charset: "utf-8",
    encryptType: "AES",
    signType: "RSA",
    timestamp: typeof timestamp === "string" ? timestamp : draft.timestampMilliseconds,
  };
}
