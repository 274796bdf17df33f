import { encryptBody } from "../../shared/envelope/cipher.ts";
import { type SealingKeys, toWireBody } from "../../shared/envelope/seal-envelope.ts";
import { signBytes } from "../../shared/envelope/signature.ts";
import {
  signedBytes,
  type WireFields,
  type WireValue,
} from "../../shared/envelope/signed-bytes.ts";

export interface CallbackToSeal {
  readonly id: WireValue;
  readonly merchantId: string;
  readonly eventName: string;
  /** The result object of §2.11 or §2.12; text and bytes are sealed as they stand. */
  readonly result: object | string | Buffer;
  readonly nowMilliseconds: number;
  /** In place of the envelope's usual ones. */
  readonly fields?: WireFields;
}

/** Seals a callback as the service does (§2.10). */
export function sealCallback(callback: CallbackToSeal, keys: SealingKeys): Record<string, unknown> {
  const { profile } = keys;
  const { id, merchantId, eventName, nowMilliseconds } = callback;
  const plaintext = plaintextOf(callback, keys);
  const body = encryptBody(plaintext, keys.aesKey, profile);
  const fields: WireFields = {
    id,
    merchantId,
    eventName,
    format: "json",
    charset: "utf-8",
    encryptType: "AES",
    signType: "RSA",
    timestamp: profile.numbers === "string" ? String(nowMilliseconds) : nowMilliseconds,
    ...callback.fields,
    body,
  };
  const signedBody = profile.signs === "ciphertext" ? Buffer.from(body) : plaintext;
  const signed = signedBytes({ fields, text: JSON.stringify(fields) }, signedBody, profile);
  return { ...fields, sign: signBytes(keys.privateKey, signed, profile) };
}

function plaintextOf({ result }: CallbackToSeal, { profile }: SealingKeys): Buffer {
  if (Buffer.isBuffer(result)) return result;
  if (typeof result === "string") return Buffer.from(result);
  return Buffer.from(JSON.stringify(toWireBody(result, profile)));
}
