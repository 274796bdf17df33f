import { createPrivateKey, createPublicKey, type KeyObject, randomBytes } from "node:crypto";
import { decryptBody, encryptBody } from "../../../shared/envelope/cipher.ts";
import { type Profile, readProfile } from "../../../shared/envelope/profile.ts";
import { isSignedBy, signBytes } from "../../../shared/envelope/signature.ts";
import { signedBytes, type WireFields } from "../../../shared/envelope/signed-bytes.ts";
import { parseAesKey } from "../../../shared/keys/parse-keys.ts";
import type { SimulatorMerchant } from "../../../tools/simulator/merchants/merchant.ts";
import { merchantsProfile, type WireProfileInput } from "../../../tools/simulator/wire/profile.ts";
import { keyPairs } from "../../vectors/vectors.ts";

/**
 * A merchant whose cryptography is not the simulator's: it is Paycast's, which the vectors hold against openssl, a JDK and
 * Python.
 */
export interface TestMerchant {
  readonly service: SimulatorMerchant;
  readonly merchantId: string;
  readonly profile: Profile;
  readonly aesKey: KeyObject;
  readonly servicePublicKey: KeyObject;
}

export type Fields = Record<string, unknown>;

const merchantKeys = keyPairs["test-openssl-2048"]!;
const serviceKeys = keyPairs["test-jdk-2048"]!;
const merchantPrivateKey = createPrivateKey(merchantKeys.private.pkcs8Pem!);

export function newTestMerchant(
  given: WireProfileInput = {},
  { keyBytes = 32, merchantId = "test-merchant-0001" } = {},
): TestMerchant {
  const profile = readProfile(merchantsProfile(given));
  // As UTF-8 text a key is one byte a character.
  const aesKey =
    profile.keyEncoding === "utf-8"
      ? randomBytes(keyBytes / 2).toString("hex")
      : randomBytes(keyBytes).toString(profile.keyEncoding);
  const service = {
    merchantId,
    aesKey,
    profile: given,
    merchantPublicKey: merchantKeys.public.spkiPem,
    servicePrivateKey: serviceKeys.private.pkcs8Pem!,
  };
  const keys = { aesKey, servicePublicKey: serviceKeys.public.spkiPem };
  return { service, merchantId, profile, ...readKeys(keys, profile) };
}

interface KeyTexts {
  readonly aesKey: string;
  readonly servicePublicKey: string;
}

/** The merchant after it stored rotated keys. */
export function withNewKeys(merchant: TestMerchant, keys: KeyTexts): TestMerchant {
  return { ...merchant, ...readKeys(keys, merchant.profile) };
}

function readKeys({ aesKey, servicePublicKey }: KeyTexts, { keyEncoding }: Profile) {
  return {
    aesKey: parseAesKey(aesKey, "aesKey", keyEncoding),
    servicePublicKey: createPublicKey(servicePublicKey),
  };
}

/** A request envelope (§2.1); `changed` replaces fields before signing, `forged` after it. */
export function sealRequest(
  { merchantId, profile, aesKey }: TestMerchant,
  method: string,
  content: unknown,
  { changed = {}, forged = {} }: { changed?: Fields; forged?: Fields } = {},
): string {
  const plaintext = Buffer.from(typeof content === "string" ? content : JSON.stringify(content));
  const body = encryptBody(plaintext, aesKey, profile);
  const fields = {
    merchantId,
    method,
    format: "json",
    charset: "utf-8",
    encryptType: "AES",
    signType: "RSA",
    timestamp: Date.now(),
    body,
    ...changed,
  };
  const signedBody = profile.signs === "ciphertext" ? Buffer.from(body) : plaintext;
  const signed = signedBytes({ fields, text: JSON.stringify(fields) }, signedBody, profile);
  const sign = signBytes(merchantPrivateKey, signed, profile);
  return JSON.stringify({ ...fields, sign, ...forged });
}

/** The plaintext of a callback (§2.10), after its signature was verified. Throws if anything is wrong. */
export function openCallback(merchant: TestMerchant, envelope: string): Fields {
  const { profile, servicePublicKey } = merchant;
  const { sign, ...fields }: WireFields & { sign: string; body: string } = JSON.parse(envelope);
  const plaintext = decrypt(merchant, fields.body);
  const signedBody = profile.signs === "ciphertext" ? Buffer.from(fields.body) : plaintext;
  const signed = signedBytes({ fields, text: envelope }, signedBody, profile);
  if (!isSignedBy(servicePublicKey, signed, sign, profile)) throw new Error("a wrong signature");
  return JSON.parse(plaintext.toString());
}

/** The plaintext of a callback without any check. */
export function decryptCallback(merchant: TestMerchant, envelope: string): string {
  return decrypt(merchant, JSON.parse(envelope).body).toString();
}

function decrypt({ aesKey, profile }: TestMerchant, body: string): Buffer {
  const { isIntact, bytes } = decryptBody(body, aesKey, profile);
  if (!isIntact) throw new Error("cannot be decrypted");
  return bytes;
}
