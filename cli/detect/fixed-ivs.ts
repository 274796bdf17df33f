import { Buffer } from "node:buffer";
import type { KeyObject } from "node:crypto";
import { ivBytes, type Profile } from "../../shared/envelope/profile.ts";
import { decodeText } from "../../shared/envelope/text.ts";
import { InputError } from "../frame/command.ts";

/** An IV to try for a profile with `iv: "fixed"`. */
export interface FixedIv {
  readonly bytes: Buffer;
  /** Set if the IV is a part of the AES key: then it must not be printed. */
  readonly partOfKey?: PartOfKey;
}

export interface PartOfKey {
  readonly what: string;
  /** A shell command that prints it in hex, for a user who has the key. */
  readonly command: string;
}

const sizes = [ivBytes.CBC, ivBytes.GCM];

/** The IVs of the right size for CBC or GCM, in each encoding in which the file can be read. */
export function readIvs(file: Buffer): readonly FixedIv[] {
  const text = file.toString("utf8").trim();
  const readings = [file, Buffer.from(text), decodeText(text, "hex"), decodeText(text, "base64")];
  const ivs = readings.flatMap((bytes) => (bytes === undefined ? [] : [{ bytes }]));
  const fitting = ivs.filter(({ bytes }) => sizes.some((size) => size === bytes.length));
  if (fitting.length > 0) return fitting;
  throw new InputError(
    "The file of --iv holds no IV: 16 bytes for CBC or 12 for GCM, written in hex, base64 or as plain text.",
  );
}

/** Fixed IVs that senders often use: the beginning of the key, as bytes or as text, and constants from sample code. */
export function guessFixedIvs(
  aesKeyText: string,
  aesKeys: ReadonlyMap<Profile["keyEncoding"], KeyObject>,
): FixedIv[] {
  return sizes.flatMap((size) => [
    ...[...aesKeys].map(([encoding, key]) => startOfKey(key.export(), encoding, size)),
    startOfKey(Buffer.from(aesKeyText), "utf-8", size),
    ...constants.map((bytes) => ({ bytes: bytes.subarray(0, size) })),
  ]);
}

const constants = [
  Buffer.from("0000000000000000"),
  Buffer.from("0102030405060708"),
  Buffer.from("1234567890123456"),
  Buffer.from("000102030405060708090a0b0c0d0e0f", "hex"),
];

function startOfKey(bytes: Buffer, encoding: Profile["keyEncoding"], size: number): FixedIv {
  const inHex = "od -An -vtx1 | tr -d ' \\n'";
  const commands = {
    base64: `base64 -d AES_KEY_FILE | head -c ${size} | ${inHex}`,
    hex: `head -c ${2 * size} AES_KEY_FILE`,
    "utf-8": `head -c ${size} AES_KEY_FILE | ${inHex}`,
  };
  const unit = encoding === "utf-8" ? "characters of the AES key's text" : "bytes of the AES key";
  const partOfKey = { what: `the first ${size} ${unit}, in hex`, command: commands[encoding] };
  return { bytes: bytes.subarray(0, size), partOfKey };
}
