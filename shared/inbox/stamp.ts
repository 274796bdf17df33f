import { Buffer } from "node:buffer";
import { createHmac, type Hmac, type KeyObject, timingSafeEqual } from "node:crypto";

/**
 * HMAC-SHA-256 over the group and the text of a message. The length in front of the group keeps them apart: no other pair
 * of group and text has the same bytes. With the group in it, a message counts only in the group that it was sent in.
 */
export function stampOf(key: KeyObject, group: string, message: string): string {
  return hmacOf(key, group, message).digest("base64url");
}

/** In constant time, so that nobody can find a stamp byte by byte. */
export function isStampOf(stamp: string, key: KeyObject, group: string, message: string): boolean {
  const expected = hmacOf(key, group, message).digest();
  const actual = Buffer.from(stamp, "base64url");
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

function hmacOf(key: KeyObject, group: string, message: string): Hmac {
  const length = Buffer.byteLength(group);
  return createHmac("sha256", key).update(`${length}:${group}:${message}`);
}
