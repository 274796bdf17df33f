import type { KeyObject } from "node:crypto";
import { encryptBody } from "./cipher.ts";
import type { Profile } from "./profile.ts";
import { signText } from "./signature.ts";
import { signedText, type WireFields } from "./signed-text.ts";
import { toWireBody } from "./wire-body.ts";

/** The keys that seal: the merchant's own for requests, the service's for callbacks (in tests and simulators). */
export interface SealingKeys {
  readonly profile: Profile;
  readonly aesKey: KeyObject;
  readonly privateKey: KeyObject;
}

export interface RequestToSeal {
  readonly merchantId: string;
  readonly method: string;
  readonly body: object;
  readonly nowMilliseconds: number;
}

export interface CallbackToSeal {
  readonly id: string;
  readonly merchantId: string;
  readonly eventName: string;
  /** The result object of §2.11 or §2.12; a string is sealed as it stands. */
  readonly result: object | string;
  readonly nowMilliseconds: number;
}

/** Seals a request to the service (§2.1, §4.2: sign the plain body, then encrypt it). */
export function sealRequest(request: RequestToSeal, keys: SealingKeys): Record<string, unknown> {
  const { merchantId, method, body, nowMilliseconds } = request;
  return seal({ merchantId, method }, writeBody(body, keys.profile), nowMilliseconds, keys);
}

/** Seals a callback as the service does (§2.10), for whoever tests a receiver. */
export function sealCallback(callback: CallbackToSeal, keys: SealingKeys): Record<string, unknown> {
  const { id, merchantId, eventName, result, nowMilliseconds } = callback;
  const body = typeof result === "string" ? result : writeBody(result, keys.profile);
  return seal({ id, merchantId, eventName }, body, nowMilliseconds, keys);
}

function writeBody(body: object, profile: Profile): string {
  return JSON.stringify(toWireBody(body, profile));
}

function seal(
  head: Record<string, string>,
  plaintext: string,
  nowMilliseconds: number,
  keys: SealingKeys,
): Record<string, unknown> {
  const { profile } = keys;
  const body = encryptBody(plaintext, keys.aesKey, profile);
  const fields: WireFields = {
    ...head,
    format: "json",
    charset: "utf-8",
    encryptType: "AES",
    signType: "RSA",
    timestamp: profile.numbers === "string" ? String(nowMilliseconds) : nowMilliseconds,
    body,
  };
  const text = signedText(fields, profile.signs === "ciphertext" ? body : plaintext, profile);
  return { ...fields, sign: signText(keys.privateKey, text, profile) };
}
