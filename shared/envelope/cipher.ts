import { Buffer } from "node:buffer";
import {
  type CipherGCMTypes,
  createCipheriv,
  createDecipheriv,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { PaycastError } from "../errors/paycast-error.ts";
import { ivBytes, type Profile } from "./profile.ts";
import { decodeText, encodeText } from "./text.ts";

const tagBytes = 16;
const blockBytes = 16;

/**
 * The result of decrypting. After a failure `bytes` must not be trusted: they exist only so that the caller does the
 * same work as after a success. The cause of a failure is not reported.
 */
export interface Decrypted {
  readonly isIntact: boolean;
  readonly bytes: Buffer;
}

/** Decrypts an envelope's body. Wrong and right padding run the same code and take the same time. */
export function decryptBody(body: string, key: KeyObject, profile: Profile): Decrypted {
  const sealed = decodeText(body, profile.bodyEncoding);
  if (sealed === undefined) return { isIntact: false, bytes: Buffer.from(body) };
  const { iv, rest } = takeIv(sealed, profile);
  if (!hasRightLength(rest, profile)) return { isIntact: false, bytes: sealed };
  return profile.cipher === "GCM" ? openGcm(rest, key, iv) : openBlocks(rest, key, iv, profile);
}

/**
 * Node reports a wrong GCM tag by an exception, which takes a third of the time of a verification. If the body decrypts
 * but its signature is wrong, the same time is spent here, so that timing does not distinguish the two.
 */
export function payForWrongTag({ cipher }: Profile): void {
  if (cipher !== "GCM") return;
  try {
    finished.final();
  } catch {
    // The exception is the purpose: it takes as long as a wrong tag.
  }
}

/** A finished decipher throws at every further `final()`. */
const finished = createDecipheriv("aes-128-ecb", Buffer.alloc(16), null).setAutoPadding(false);
finished.final();

export function encryptBody(plaintext: Buffer, key: KeyObject, profile: Profile): string {
  if (profile.cipher === "GCM" && profile.iv !== "prefixed") {
    throw new PaycastError(
      "profile-unsafe",
      'A GCM profile whose iv is "zero" or "fixed" cannot seal: two messages under one IV reveal the key. Use "prefixed".',
    );
  }
  const iv = profile.iv === "prefixed" ? randomBytes(ivBytes[profile.cipher]) : fixedIv(profile);
  const sealed =
    profile.cipher === "GCM"
      ? sealGcm(plaintext, key, iv)
      : sealBlocks(plaintext, key, iv, profile);
  return encodeText(
    profile.iv === "prefixed" ? Buffer.concat([iv, sealed]) : sealed,
    profile.bodyEncoding,
  );
}

function takeIv(sealed: Buffer, profile: Profile): { iv: Buffer; rest: Buffer } {
  if (profile.iv !== "prefixed") return { iv: fixedIv(profile), rest: sealed };
  const length = ivBytes[profile.cipher];
  return { iv: sealed.subarray(0, length), rest: sealed.subarray(length) };
}

/**
 * Checked first, because a wrong length would throw. If the IV is cut off, the rest is empty. The length is not secret:
 * the sender knows it.
 */
function hasRightLength(rest: Buffer, { cipher }: Profile): boolean {
  if (cipher === "GCM") return rest.length >= tagBytes;
  return rest.length > 0 && rest.length % blockBytes === 0;
}

function fixedIv(profile: Profile): Buffer {
  if (profile.fixedIv !== undefined) return Buffer.from(profile.fixedIv, "hex");
  return Buffer.alloc(ivBytes[profile.cipher]);
}

/** Without `final()` a changed tag would be accepted, and without `authTagLength` a shortened one. */
function openGcm(sealed: Buffer, key: KeyObject, iv: Buffer): Decrypted {
  const decipher = createDecipheriv(gcmName(key), key, iv, { authTagLength: tagBytes });
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  const bytes = decipher.update(sealed.subarray(0, -tagBytes));
  try {
    decipher.final();
    return { isIntact: true, bytes };
  } catch {
    return { isIntact: false, bytes };
  }
}

function sealGcm(plaintext: Buffer, key: KeyObject, iv: Buffer): Buffer {
  const cipher = createCipheriv(gcmName(key), key, iv, { authTagLength: tagBytes });
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** Node's own padding check would throw, and the time of the exception would reveal the padding. */
function openBlocks(sealed: Buffer, key: KeyObject, iv: Buffer, profile: Profile): Decrypted {
  const decipher = createDecipheriv(blockName(key, profile), key, iv).setAutoPadding(false);
  const padded = decipher.update(sealed);
  const count = paddingOf(padded);
  return { isIntact: count > 0, bytes: padded.subarray(0, padded.length - count) };
}

/** The number of PKCS#7 padding bytes, or 0 if the padding is wrong. Always reads a whole block, without a branch. */
function paddingOf(padded: Buffer): number {
  const last = padded.length - 1;
  const count = padded[last] ?? 0;
  let wrong = Number(count === 0) | Number(count > blockBytes);
  for (let back = 0; back < blockBytes; back++) {
    wrong |= Number(back < count) * ((padded[last - back] ?? 0) ^ count);
  }
  return count * Number(wrong === 0);
}

function sealBlocks(plaintext: Buffer, key: KeyObject, iv: Buffer, profile: Profile): Buffer {
  const cipher = createCipheriv(blockName(key, profile), key, iv);
  return Buffer.concat([cipher.update(plaintext), cipher.final()]);
}

function gcmName(key: KeyObject): CipherGCMTypes {
  switch (key.symmetricKeySize) {
    case 16:
      return "aes-128-gcm";
    case 24:
      return "aes-192-gcm";
    default:
      return "aes-256-gcm";
  }
}

function blockName(key: KeyObject, profile: Profile): string {
  return `aes-${(key.symmetricKeySize ?? 0) * 8}-${profile.cipher.toLowerCase()}`;
}
