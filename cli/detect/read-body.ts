import { type Buffer, isUtf8 } from "node:buffer";
import { decryptBody } from "../../shared/envelope/cipher.ts";
import { defaultProfile, ivBytes } from "../../shared/envelope/profile.ts";
import { decodeUtf8, withoutByteOrderMark } from "../../shared/envelope/text.ts";
import { parseJson } from "../../shared/parse-json.ts";
import { allCipherSettings, type CipherSettings } from "./cipher-settings.ts";
import type { SearchKeys } from "./keys.ts";

/** The result of one way of decrypting the body. `text` is set if all of it is UTF-8. */
export interface BodyReading {
  readonly settings: CipherSettings;
  readonly quality: BodyQuality;
  readonly text?: string;
  /** The names of the JSON object's fields; values must never be printed. */
  readonly fieldNames?: readonly string[];
}

/** From worst to best. With CBC a wrong IV makes only the first block unreadable. */
export const bodyQualities = ["all-but-first-block", "not-utf-8", "not-json", "json"] as const;
type BodyQuality = (typeof bodyQualities)[number];

/** Tries every way of decrypting, and gives the results that are not failures. */
export function readBody(
  body: string,
  keys: SearchKeys,
): { readonly waysTried: number; readonly readings: readonly BodyReading[] } {
  const ways = allCipherSettings(keys.fixedIvs);
  const readings = ways.flatMap((settings) => readWith(settings, body, keys) ?? []);
  return { waysTried: ways.length, readings };
}

function readWith(
  settings: CipherSettings,
  body: string,
  keys: SearchKeys,
): BodyReading | undefined {
  const key = keys.aesKeys.get(settings.keyEncoding);
  const decrypted = key && decryptBody(body, key, { ...defaultProfile, ...settings });
  if (!decrypted?.isIntact) return undefined;
  const text = decodeUtf8(decrypted.bytes);
  if (text === undefined) return readBinary(settings, decrypted.bytes);
  const fieldNames = fieldNamesOf(text);
  if (fieldNames !== undefined) return { settings, quality: "json", text, fieldNames };
  const isSpoiled = settings.cipher === "CBC" && isEndOfObject(text);
  return { settings, quality: isSpoiled ? "all-but-first-block" : "not-json", text };
}

/** A wrong IV may leave the first block readable, and "prefixed" drops that block if no IV is in front. */
function isEndOfObject(text: string): boolean {
  return /\}\s*$/.test(text) && !/^\s*\{/.test(text);
}

/** One wrong key in 256 gives valid padding, so bytes that are not text count only with a valid GCM tag. */
function readBinary(settings: CipherSettings, bytes: Buffer): BodyReading | undefined {
  if (settings.cipher === "GCM") return { settings, quality: "not-utf-8" };
  if (settings.cipher === "CBC" && isTextAfterFirstBlock(bytes)) {
    return { settings, quality: "all-but-first-block" };
  }
  return undefined;
}

/** The block may end inside a character. */
function isTextAfterFirstBlock(bytes: Buffer): boolean {
  const rest = bytes.subarray(ivBytes.CBC);
  const start = rest.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return rest.length >= ivBytes.CBC && start >= 0 && start < 4 && isUtf8(rest.subarray(start));
}

function fieldNamesOf(text: string): string[] | undefined {
  const value = parseJson(withoutByteOrderMark(text));
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? Object.keys(value) : undefined;
}
