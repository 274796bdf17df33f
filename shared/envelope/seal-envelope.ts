import { Buffer } from "node:buffer";
import type { KeyObject } from "node:crypto";
import { encryptBody } from "./cipher.ts";
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

/** Seals a request to the service (§2.1, §4.2: sign the plain body, then encrypt it). */
export function sealRequest(request: RequestToSeal, keys: SealingKeys): Record<string, unknown> {
  const { profile } = keys;
  const { merchantId, method, nowMilliseconds } = request;
  const plaintext = Buffer.from(JSON.stringify(toWireBody(request.body, profile)));
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
  const signed = signedBytes(fields, signedBody, profile);
  return { ...fields, sign: signBytes(keys.privateKey, signed, profile) };
}

/**
 * Writes a body as the profile says: numbers as numbers or strings, and one of the two names for which the interface's
 * table and sample differ (§2.3, §2.5).
 */
export function toWireBody(body: unknown, profile: Profile): unknown {
  if (typeof body === "number") return profile.numbers === "string" ? String(body) : body;
  if (Array.isArray(body)) return body.map((element) => toWireBody(element, profile));
  if (typeof body !== "object" || body === null) return body;
  const members = Object.entries(body).map(([name, value]) => [
    name === "goodsAmount" ? profile.goodsAmountName : name,
    toWireBody(value, profile),
  ]);
  return Object.fromEntries(members);
}
