import { createHash, createPublicKey, type KeyObject } from "node:crypto";

const shownBytes = 12;

/**
 * The beginning of the SHA-256 of a public key's SPKI DER, for people to compare with what the payment service shows.
 * For a private key it is that of its public half.
 */
export function fingerprintOf(key: KeyObject): string {
  const publicKey = key.type === "private" ? createPublicKey(key) : key;
  const digest = createHash("sha256").update(publicKey.export({ type: "spki", format: "der" }));
  const bytes = digest.digest().subarray(0, shownBytes);
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(":");
}
