import { createDecipheriv, type KeyObject } from "node:crypto";
import type { Profile } from "../../../shared/envelope/profile.ts";
import type { Fields } from "./order-body.ts";

/** The plain body of a request envelope (§2.1), decrypted by lines of its own. */
export function openRequest(envelope: Fields, profile: Profile, key: KeyObject): Fields {
  const bytes = Buffer.from(String(envelope["body"]), profile.bodyEncoding);
  return JSON.parse(decrypt(bytes, profile, key.export()));
}

function decrypt(bytes: Buffer, { cipher, iv, fixedIv }: Profile, key: Buffer): string {
  const bits = key.length * 8;
  if (cipher === "ECB") {
    const ecb = createDecipheriv(`aes-${bits}-ecb`, key, null);
    return ecb.update(bytes, undefined, "utf8") + ecb.final("utf8");
  }
  const ivLength = cipher === "GCM" ? 12 : 16;
  const front = iv === "prefixed" ? bytes.subarray(0, ivLength) : undefined;
  const vector = front ?? (fixedIv ? Buffer.from(fixedIv, "hex") : Buffer.alloc(ivLength));
  const rest = front === undefined ? bytes : bytes.subarray(ivLength);
  if (cipher === "CBC") {
    const cbc = createDecipheriv(`aes-${bits}-cbc`, key, vector);
    return cbc.update(rest, undefined, "utf8") + cbc.final("utf8");
  }
  const gcm = createDecipheriv(`aes-${bits}-gcm` as "aes-256-gcm", key, vector, {
    authTagLength: 16,
  });
  gcm.setAuthTag(rest.subarray(-16));
  return gcm.update(rest.subarray(0, -16), undefined, "utf8") + gcm.final("utf8");
}
