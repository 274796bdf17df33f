import { Buffer } from "node:buffer";
import { constants, type KeyObject, sign, verify } from "node:crypto";
import type { Profile } from "./profile.ts";
import { decodeText, encodeText } from "./text.ts";

const hashNames = { "SHA-1": "sha1", "SHA-256": "sha256", "SHA-512": "sha512" } as const;

/**
 * Whether the signature is the key's over these bytes. A signature that is not spelled rightly, or of another
 * length, is verified all the same, as some other bytes: each refusal costs the sender one verification.
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
  const isVerified = verifies(publicKey, signed, isWhole ? decoded : dummyOf(length), profile);
  return isVerified && isWhole;
}

/** A key may forbid the profile's hash (RSA-PSS keys can); then nothing is signed by it. */
function verifies(publicKey: KeyObject, signed: Buffer, signature: Buffer, profile: Profile) {
  const key = { key: publicKey, ...paddingFor(profile, saltLengthToVerify(publicKey)) };
  try {
    return verify(hashNames[profile.signatureHash], signed, key, signature);
  } catch {
    return false;
  }
}

export function signBytes(privateKey: KeyObject, bytes: Buffer, profile: Profile): string {
  const key = { key: privateKey, ...paddingFor(profile, constants.RSA_PSS_SALTLEN_DIGEST) };
  return encodeText(sign(hashNames[profile.signatureHash], bytes, key), profile.signatureEncoding);
}

/** Below any modulus and not zero: OpenSSL would spare itself the work for either. */
function dummyOf(length: number): Buffer {
  return Buffer.alloc(length, 0x5a).fill(0, 0, 1);
}

/**
 * Senders differ in the length of the PSS salt; a verifier that takes any length gives nothing away. A key that
 * names its own length allows no other.
 */
function saltLengthToVerify({ asymmetricKeyDetails }: KeyObject): number {
  return asymmetricKeyDetails?.saltLength ?? constants.RSA_PSS_SALTLEN_AUTO;
}

function paddingFor(profile: Profile, saltLength: number) {
  return profile.signaturePadding === "PSS"
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }
    : { padding: constants.RSA_PKCS1_PADDING };
}
