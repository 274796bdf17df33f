import { Buffer, isUtf8 } from "node:buffer";
import type { TextEncoding } from "./profile.ts";

/**
 * Strict decoding: each value has only one spelling, so nobody can change the spelling of a signed value. Node's own
 * decoders skip invalid characters. The only exception is line breaks inside base64, which some senders add.
 */
export function decodeText(text: string, encoding: TextEncoding): Buffer | undefined {
  switch (encoding) {
    case "hex":
      return /^(?:[0-9a-fA-F]{2})*$/.test(text) ? Buffer.from(text, "hex") : undefined;
    case "base64":
      return decodeCanonical(withoutLineBreaks(text), "base64");
    case "base64url":
      return decodeCanonical(withoutLineBreaks(text).replace(/={1,2}$/, ""), "base64url");
  }
}

export function encodeText(bytes: Buffer, encoding: TextEncoding): string {
  return bytes.toString(encoding);
}

/** The text of UTF-8 bytes, or undefined if they are not UTF-8: a replacement character would hide a difference. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

/** JSON has no byte order mark, but some senders write one first. */
export function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function decodeCanonical(text: string, encoding: "base64" | "base64url"): Buffer | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : undefined;
}

function withoutLineBreaks(text: string): string {
  return text.includes("\n") || text.includes("\r") ? text.replace(/[\r\n]+/g, "") : text;
}
