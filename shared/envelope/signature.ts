import { Buffer } from "node:buffer";
import { constants, type KeyObject, sign, verify } from "node:crypto";
import type { Profile } from "./profile.ts";
import { decodeText, encodeText } from "./text.ts";

const hashNames = { "SHA-1": "sha1", "SHA-256": "sha256", "SHA-512": "sha512" } as const;

export function isSignedBy(
  publicKey: KeyObject,
  text: string,
  signature: string,
  profile: Profile,
): boolean {
  const bytes = decodeText(signature, profile.signatureEncoding);
  if (bytes === undefined) return false;
  const key = { key: publicKey, ...paddingFor(profile, constants.RSA_PSS_SALTLEN_AUTO) };
  return verify(hashNames[profile.signatureHash], Buffer.from(text), key, bytes);
}

export function signText(privateKey: KeyObject, text: string, profile: Profile): string {
  const key = { key: privateKey, ...paddingFor(profile, constants.RSA_PSS_SALTLEN_DIGEST) };
  const bytes = sign(hashNames[profile.signatureHash], Buffer.from(text), key);
  return encodeText(bytes, profile.signatureEncoding);
}

/** Senders differ in the length of the PSS salt; a verifier that takes any length gives nothing away. */
function paddingFor(profile: Profile, saltLength: number) {
  return profile.signaturePadding === "PSS"
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }
    : { padding: constants.RSA_PKCS1_PADDING };
}
