import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { WireProfile } from "./profile.ts";
import { readBytes, readUtf8, writeBytes } from "./wire-text.ts";

const gcmTagBytes = 16;

/**
 * Encrypts a body with AES (§5.2). A profile may use GCM with a repeated IV. That is not safe, but the simulator must
 * be able to imitate a service that does it.
 */
export function encryptBody(profile: WireProfile, key: Buffer, plaintext: string): string {
  const iv = profile.iv === "prefixed" ? randomBytes(ivLength(profile)) : agreedIv(profile);
  const front = profile.iv === "prefixed" ? iv : Buffer.alloc(0);
  const sealed =
    profile.cipher === "GCM"
      ? encryptGcm(key, iv, plaintext)
      : encryptBlocks(profile, key, iv, plaintext);
  return writeBytes(Buffer.concat([front, sealed]), profile.bodyEncoding);
}

/** The plaintext, or undefined if the body cannot be decrypted to valid UTF-8. */
export function decryptBody(profile: WireProfile, key: Buffer, body: string): string | undefined {
  const bytes = readBytes(body, profile.bodyEncoding);
  if (bytes === undefined) return undefined;
  const ivEnd = profile.iv === "prefixed" ? ivLength(profile) : 0;
  const iv = ivEnd > 0 ? bytes.subarray(0, ivEnd) : agreedIv(profile);
  const sealed = bytes.subarray(ivEnd);
  try {
    return readUtf8(
      profile.cipher === "GCM"
        ? decryptGcm(key, iv, sealed)
        : decryptBlocks(profile, key, iv, sealed),
    );
  } catch {
    return undefined;
  }
}

function ivLength(profile: WireProfile): number {
  return { CBC: 16, GCM: 12, ECB: 0 }[profile.cipher];
}

function agreedIv(profile: WireProfile): Buffer {
  return profile.fixedIv === undefined
    ? Buffer.alloc(ivLength(profile))
    : Buffer.from(profile.fixedIv, "hex");
}

function encryptBlocks(profile: WireProfile, key: Buffer, iv: Buffer, plaintext: string): Buffer {
  const cipher = createCipheriv(
    blockCipher(profile, key),
    key,
    profile.cipher === "ECB" ? null : iv,
  );
  return Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final()]);
}

function decryptBlocks(profile: WireProfile, key: Buffer, iv: Buffer, sealed: Buffer): Buffer {
  const cipher = createDecipheriv(
    blockCipher(profile, key),
    key,
    profile.cipher === "ECB" ? null : iv,
  );
  return Buffer.concat([cipher.update(sealed), cipher.final()]);
}

function blockCipher(profile: WireProfile, key: Buffer): string {
  return `aes-${aesBits(key)}-${profile.cipher.toLowerCase()}`;
}

/** The tag follows the ciphertext, as in AES-GCM of Java and of browsers. */
function encryptGcm(key: Buffer, iv: Buffer, plaintext: string): Buffer {
  const cipher = createCipheriv(`aes-${aesBits(key)}-gcm` as const, key, iv, {
    authTagLength: gcmTagBytes,
  });
  return Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final(), cipher.getAuthTag()]);
}

function decryptGcm(key: Buffer, iv: Buffer, sealed: Buffer): Buffer {
  const cipher = createDecipheriv(`aes-${aesBits(key)}-gcm` as const, key, iv, {
    authTagLength: gcmTagBytes,
  });
  const tagStart = sealed.length - gcmTagBytes;
  if (tagStart < 0) throw new Error("no room for a tag");
  cipher.setAuthTag(sealed.subarray(tagStart));
  return Buffer.concat([cipher.update(sealed.subarray(0, tagStart)), cipher.final()]);
}

function aesBits(key: Buffer): 128 | 192 | 256 {
  if (key.length === 16) return 128;
  if (key.length === 24) return 192;
  return 256;
}
