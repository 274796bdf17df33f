import { Buffer } from "node:buffer";
import { constants, type KeyObject, sign, verify } from "node:crypto";
import type { Profile } from "./profile.ts";
import { decodeText, encodeText } from "./text.ts";

const hashNames = { "SHA-1": "sha1", "SHA-256": "sha256", "SHA-512": "sha512" } as const;

/**
 * Whether the key signed these bytes. If the signature has a wrong encoding or length, dummy bytes are verified
 * instead, so that every refusal takes the time of one verification.
 */
export function isSignedBy(
  publicKey: KeyObject,
  signed: Buffer,
  signature: string,
  profile: Profile,
): boolean {
  const length = Math.ceil((publicKey.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
  const decoded = decodeText(signature, profile.signatureEncoding);
  const isWhole = decoded?.length === length;
  const isVerified = verifies(
    publicKey,
    signed,
    isWhole ? decoded : dummy.subarray(0, length),
    profile,
  );
  return isVerified && isWhole;
}

/** An RSA-PSS key may forbid the profile's hash; then no signature is valid. */
function verifies(publicKey: KeyObject, signed: Buffer, signature: Buffer, profile: Profile) {
  const key = withPadding(publicKey, profile, saltLengthToVerify);
  try {
    return verify(hashNames[profile.signatureHash], signed, key, signature);
  } catch {
    return false;
  }
}

export function signBytes(privateKey: KeyObject, bytes: Buffer, profile: Profile): string {
  const key = withPadding(privateKey, profile, () => constants.RSA_PSS_SALTLEN_DIGEST);
  return encodeText(sign(hashNames[profile.signatureHash], bytes, key), profile.signatureEncoding);
}

/** An RSA-PSS key can forbid a hash or a salt length, which shows only when it signs. */
export function canSign(privateKey: KeyObject, profile: Profile): boolean {
  if (privateKey.asymmetricKeyType !== "rsa-pss") return true;
  try {
    signBytes(privateKey, Buffer.alloc(0), profile);
    return true;
  } catch {
    return false;
  }
}

/**
 * Smaller than any modulus and not zero, because OpenSSL would skip the work otherwise. As long as the longest
 * signature.
 */
const dummy = Buffer.alloc(2048, 0x5a).fill(0, 0, 1);

/**
 * Senders use different PSS salt lengths, and accepting any length is safe. If the key names a length, it allows no
 * other.
 */
function saltLengthToVerify({ asymmetricKeyDetails }: KeyObject): number {
  return asymmetricKeyDetails?.saltLength ?? constants.RSA_PSS_SALTLEN_AUTO;
}

/**
 * The key alone where its type has the padding already: around a key with options, some versions of Node 24 throw and
 * catch an exception in each call, which nearly doubles the time of a verification.
 */
function withPadding(key: KeyObject, profile: Profile, saltLengthFor: (key: KeyObject) => number) {
  if (profile.signaturePadding === "PSS") {
    return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: saltLengthFor(key) };
  }
  return key.asymmetricKeyType === "rsa" ? key : { key, padding: constants.RSA_PKCS1_PADDING };
}
