import { type Buffer, isUtf8 } from "node:buffer";
import { decryptBody } from "../../../shared/envelope/cipher.ts";
import {
  cipherModes,
  defaultProfile,
  ivBytes,
  keyEncodings,
  type Profile,
  textEncodings,
} from "../../../shared/envelope/profile.ts";
import { decodeUtf8, withoutByteOrderMark } from "../../../shared/envelope/text.ts";
import { parseJson } from "../../../shared/json/parse-json.ts";
import type { FixedIv, SearchKeys } from "./keys.ts";

/** The result of one way of decrypting the body. `text` is set if all of it is UTF-8. */
export interface BodyReading {
  readonly settings: CipherSettings;
  readonly quality: BodyQuality;
  readonly text?: string;
}

/** From best to worst. With CBC a wrong IV makes only the first block unreadable. */
const bodyQualities = ["json", "not-json", "not-utf-8", "all-but-first-block"] as const;
type BodyQuality = (typeof bodyQualities)[number];

/** Tries every way of decrypting, and gives the results that are not failures, the best first. */
export function readBody(
  body: string,
  keys: SearchKeys,
): { readonly waysTried: number; readonly readings: readonly BodyReading[] } {
  const ways = allCipherSettings(keys.fixedIvs);
  const readings = ways.flatMap((settings) => readWith(settings, body, keys) ?? []);
  const rank = ({ quality }: BodyReading) => bodyQualities.indexOf(quality);
  readings.sort((left, right) => rank(left) - rank(right));
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
  if (isJsonObject(text)) return { settings, quality: "json", text };
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

function isJsonObject(text: string): boolean {
  const value = parseJson(withoutByteOrderMark(text));
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The part of a profile that says how a body is encrypted. */
type CipherSettings = Pick<Profile, "cipher" | "iv" | "keyEncoding" | "bodyEncoding"> & {
  readonly fixedIv?: string;
};

/** Every way of encrypting that the profile can express, with these fixed IVs. */
function allCipherSettings(fixedIvs: readonly FixedIv[]): CipherSettings[] {
  const modes = cipherModes.flatMap((cipher) => ivSettings(cipher, fixedIvs));
  return textEncodings.flatMap((bodyEncoding) =>
    keyEncodings.flatMap((keyEncoding) =>
      modes.map((mode) => ({ ...mode, keyEncoding, bodyEncoding })),
    ),
  );
}

type IvSettings = Pick<CipherSettings, "cipher" | "iv" | "fixedIv">;

function ivSettings(cipher: Profile["cipher"], fixedIvs: readonly FixedIv[]): IvSettings[] {
  if (cipher === "ECB") return [{ cipher, iv: "zero" }];
  return [
    { cipher, iv: "zero" },
    { cipher, iv: "prefixed" },
    ...distinctHex(fixedIvs, ivBytes[cipher]).map(
      (fixedIv): IvSettings => ({ cipher, iv: "fixed", fixedIv }),
    ),
  ];
}

/** Without the IV of zeros: `iv: "zero"` is the same and clearer. */
function distinctHex(ivs: readonly FixedIv[], length: number): string[] {
  const fitting = ivs.filter(({ bytes }) => bytes.length === length && bytes.some((b) => b !== 0));
  return [...new Set(fitting.map(({ bytes }) => bytes.toString("hex")))];
}
