import type { WireProfile } from "./profile.ts";

type TextEncoding = WireProfile["bodyEncoding"];

export function writeBytes(bytes: Buffer, encoding: TextEncoding): string {
  return bytes.toString(encoding);
}

/**
 * Bytes of an encoded text, or undefined where it is not exactly that encoding. Node's own decoder skips
 * what it does not know, so the text is written again and compared. Line breaks may differ, and the padding
 * of base64url.
 */
export function readBytes(encoded: string, encoding: TextEncoding): Buffer | undefined {
  const text = encoded.replace(/[\r\n]/g, "");
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === canonical(text, encoding) ? bytes : undefined;
}

function canonical(text: string, encoding: TextEncoding): string {
  if (encoding === "hex") return text.toLowerCase();
  return encoding === "base64url" ? text.replace(/={1,2}$/, "") : text;
}

/** UTF-8 text, or undefined where the bytes are not valid UTF-8. */
export function readUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
