import { Buffer } from "node:buffer";
import type { KeyObject } from "node:crypto";
import { encryptBody } from "./cipher.ts";
import type { Profile } from "./profile.ts";
import { signBytes } from "./signature.ts";
import { signedBytes, type WireFields } from "./signed-bytes.ts";
import { toWireBody } from "./wire-body.ts";

/** The keys that seal a merchant's requests. */
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
