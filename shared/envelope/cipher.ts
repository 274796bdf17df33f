import { Buffer } from "node:buffer";
import {
  type CipherGCMTypes,
  createCipheriv,
  createDecipheriv,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { PaycastError } from "../paycast-error.ts";
import { ivBytes, type Profile } from "./profile.ts";
import { decodeText, encodeText } from "./text.ts";

const tagBytes = 16;

/** The decrypted bytes of an envelope's body, or nothing if they cannot be had; the cause is not told. */
export function decryptBody(body: string, key: KeyObject, profile: Profile): Buffer | undefined {
  const sealed = decodeText(body, profile.bodyEncoding);
  if (sealed === undefined) return undefined;
  const { iv, rest } = takeIv(sealed, profile);
  try {
    return profile.cipher === "GCM" ? openGcm(rest, key, iv) : openBlocks(rest, key, iv, profile);
  } catch {
    return undefined;
  }
}

export function encryptBody(plaintext: string, key: KeyObject, profile: Profile): string {
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

function fixedIv(profile: Profile): Buffer {
  if (profile.fixedIv !== undefined) return Buffer.from(profile.fixedIv, "hex");
  return Buffer.alloc(ivBytes[profile.cipher]);
}

/** Without `final()` a changed tag would pass, and without `authTagLength` a shortened one. */
function openGcm(sealed: Buffer, key: KeyObject, iv: Buffer): Buffer | undefined {
  if (sealed.length < tagBytes) return undefined;
  const decipher = createDecipheriv(gcmName(key), key, iv, { authTagLength: tagBytes });
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(0, -tagBytes)), decipher.final()]);
}

function sealGcm(plaintext: string, key: KeyObject, iv: Buffer): Buffer {
  const cipher = createCipheriv(gcmName(key), key, iv, { authTagLength: tagBytes });
  return Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final(), cipher.getAuthTag()]);
}

function openBlocks(sealed: Buffer, key: KeyObject, iv: Buffer, profile: Profile): Buffer {
  const decipher = createDecipheriv(blockName(key, profile), key, iv);
  return Buffer.concat([decipher.update(sealed), decipher.final()]);
}

function sealBlocks(plaintext: string, key: KeyObject, iv: Buffer, profile: Profile): Buffer {
  const cipher = createCipheriv(blockName(key, profile), key, iv);
  return Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final()]);
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
