import type { WireProfile } from "./profile.ts";

type TextEncoding = WireProfile["bodyEncoding"];

export function writeBytes(bytes: Buffer, encoding: TextEncoding): string {
  return bytes.toString(encoding);
}

/**
 * The bytes of an encoded text, or undefined if the text is not valid. Node's decoder ignores invalid characters, so
 * the bytes are encoded again and compared. Line breaks and the padding of base64url may differ.
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

/** The text, or undefined if the bytes are not valid UTF-8. */
export function readUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
