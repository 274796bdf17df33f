import { Buffer } from "node:buffer";
import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from "node:crypto";
import type { Profile } from "../envelope/profile.ts";
import { decodeText } from "../envelope/text.ts";
import { PaycastError } from "../errors/paycast-error.ts";

/** What a profile requires of an RSA key. */
export type RsaRules = Pick<Profile, "minimumRsaBits" | "signaturePadding">;

type DerReader = (der: Buffer) => KeyObject;

const publicReaders: readonly DerReader[] = [
  (der) => createPublicKey({ key: der, format: "der", type: "spki" }),
  (der) => createPublicKey({ key: der, format: "der", type: "pkcs1" }),
];

const privateReaders: readonly DerReader[] = [
  (der) => createPrivateKey({ key: der, format: "der", type: "pkcs8" }),
  (der) => createPrivateKey({ key: der, format: "der", type: "pkcs1" }),
];

/**
 * An RSA public key from PEM (SPKI, PKCS#1) or the bare base64 of its DER, as merchants receive them. Rejects a private
 * key, although Node would use its public half: a secret for public keys must not contain one.
 */
export function parsePublicKey(text: string, field: string, rules: RsaRules): KeyObject {
  const der = derOf(text);
  if (der !== undefined && firstThatReads(der, privateReaders) !== undefined) {
    throw invalidKey(field, "must be a public key, but is a private one");
  }
  return checkRsa(der && firstThatReads(der, publicReaders), field, rules);
}

/** An RSA private key from PEM (PKCS#8, PKCS#1) or the bare base64 of its DER. */
export function parsePrivateKey(text: string, field: string, rules: RsaRules): KeyObject {
  const der = derOf(text);
  return checkRsa(der && firstThatReads(der, privateReaders), field, rules);
}

export function parseAesKey(
  text: string,
  field: string,
  encoding: Profile["keyEncoding"],
): KeyObject {
  const bytes =
    encoding === "utf-8" ? Buffer.from(text, "utf8") : decodeText(text.trim(), encoding);
  if (bytes === undefined) throw invalidKey(field, `must be ${encoding} text, as keyEncoding says`);
  if (![16, 24, 32].includes(bytes.length)) {
    throw invalidKey(
      field,
      `must be 16, 24 or 32 bytes long in ${encoding}, but has ${bytes.length}`,
    );
  }
  return createSecretKey(bytes);
}

function checkRsa(key: KeyObject | undefined, field: string, rules: RsaRules): KeyObject {
  if (key === undefined) throw invalidKey(field, "must be an RSA key in PEM or in base64 DER");
  checkKeyType(key, field, rules);
  const keyBits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  const { minimumRsaBits } = rules;
  if (keyBits >= minimumRsaBits) return key;
  throw invalidKey(
    field,
    `has ${keyBits} bits, fewer than the ${minimumRsaBits} that the profile's minimumRsaBits requires`,
  );
}

/** A plain RSA key works with either padding, an RSA-PSS key only with PSS. */
function checkKeyType(key: KeyObject, field: string, { signaturePadding }: RsaRules): void {
  const { asymmetricKeyType } = key;
  if (asymmetricKeyType === "rsa") return;
  if (asymmetricKeyType !== "rsa-pss") throw invalidKey(field, "must be an RSA key");
  if (signaturePadding === "PSS") return;
  throw invalidKey(
    field,
    `must be a plain RSA key, or the profile's signaturePadding "PSS": an RSA-PSS key cannot sign with ${signaturePadding}`,
  );
}

/** PEM is base64 DER between two lines. It is decoded here, so that all forms are parsed the same way. */
function derOf(text: string): Buffer | undefined {
  const pem = /-----BEGIN [A-Z ]+-----([\s\S]+?)-----END [A-Z ]+-----/.exec(text);
  return decodeText((pem?.[1] ?? text).replace(/\s+/g, ""), "base64");
}

function firstThatReads(der: Buffer, readers: readonly DerReader[]): KeyObject | undefined {
  for (const read of readers) {
    try {
      return read(der);
    } catch {
      // Not this form: try the next one. The parser's own message could quote the key.
    }
  }
  return undefined;
}

function invalidKey(field: string, problem: string): PaycastError {
  return new PaycastError("keys-invalid", `${field} ${problem}.`);
}
