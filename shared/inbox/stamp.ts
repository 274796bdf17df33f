import { Buffer } from "node:buffer";
import { createHmac, type Hmac, type KeyObject, timingSafeEqual } from "node:crypto";

/**
 * The stamp of a message: HMAC-SHA-256 over its group and text, under a key that only the stack's functions have. The
 * length before the group makes the input unambiguous: no other pair of group and text has the same bytes. Because the
 * group is included, a message is valid only in the group that it was sent to.
 */
export function stampOf(key: KeyObject, group: string, message: string): string {
  return hmacOf(key, group, message).digest("base64url");
}

/** Compares in constant time, so that nobody can find a stamp byte by byte. */
export function isStampOf(stamp: string, key: KeyObject, group: string, message: string): boolean {
  const expected = hmacOf(key, group, message).digest();
  const actual = Buffer.from(stamp, "base64url");
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

function hmacOf(key: KeyObject, group: string, message: string): Hmac {
  const length = Buffer.byteLength(group);
  return createHmac("sha256", key).update(`${length}:${group}:${message}`);
}
