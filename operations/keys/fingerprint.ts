import { createHash, createHmac, createPublicKey, type KeyObject } from "node:crypto";

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

/**
 * Eight hexadecimal digits, to tell AES keys apart. The merchant is part of it, so equal keys of two merchants look
 * different. It is short on purpose: millions of keys have the same one, so nobody can be sure of a key guessed from it.
 */
export function aesFingerprintOf(aesKey: KeyObject, merchantId: string): string {
  const digest = createHmac("sha256", aesKey).update(`paycast-aes-fingerprint:${merchantId}`);
  return digest.digest("hex").slice(0, 8);
}
