import { Buffer } from "node:buffer";
import type { KeyObject } from "node:crypto";
import { encryptBody } from "./cipher.ts";
import { writeJson } from "./json-style.ts";
import type { Profile } from "./profile.ts";
import { signBytes } from "./signature.ts";
import { signedBytes, type WireFields } from "./signed-bytes.ts";

/** The keys that seal a merchant's requests. */
export interface SealingKeys {
  readonly profile: Profile;
  readonly aesKey: KeyObject;
  readonly privateKey: KeyObject;
}

interface RequestToSeal {
  readonly merchantId: string;
  readonly method: string;
  readonly body: object;
  readonly nowMilliseconds: number;
}

/**
 * Seals a request to the service (§2.1, §4.2: sign the plain body, then encrypt it). Returns text, because the profile
 * may sign JSON as sent, in its order and spelling.
 */
export function sealRequest(request: RequestToSeal, keys: SealingKeys): string {
  const { profile } = keys;
  const { merchantId, method, nowMilliseconds } = request;
  const plaintext = Buffer.from(writeJson(toWireBody(request.body, profile), profile.jsonStyle));
  const body = encryptBody(plaintext, keys.aesKey, profile);
  const fields: WireFields = {
    merchantId,
    method,
    format: "json",
    charset: "utf-8",
    encryptType: "AES",
    signType: "RSA",
    timestamp: profile.numbers === "string" ? String(nowMilliseconds) : nowMilliseconds,
    body,
  };
  const signedBody = profile.signs === "ciphertext" ? Buffer.from(body) : plaintext;
  const text = writeJson(fields, profile.jsonStyle);
  const signed = signedBytes({ fields, text }, signedBody, profile);
  const sign = signBytes(keys.privateKey, signed, profile);
  return writeJson({ ...fields, sign }, profile.jsonStyle);
}

/**
 * Converts a body to the profile's form: numbers as numbers or strings, and one of the two names for which the
 * interface's table and sample differ (§2.3, §2.5).
 */
export function toWireBody(body: object, profile: Profile): object {
  if (Array.isArray(body)) return body.map((element) => toWireValue(element, profile));
  const members = Object.entries(body).map(([name, value]) => [
    name === "goodsAmount" ? profile.goodsAmountName : name,
    toWireValue(value, profile),
  ]);
  return Object.fromEntries(members);
}

function toWireValue(value: unknown, profile: Profile): unknown {
  if (typeof value === "number") return profile.numbers === "string" ? String(value) : value;
  return typeof value === "object" && value !== null ? toWireBody(value, profile) : value;
}
