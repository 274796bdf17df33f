import { Buffer } from "node:buffer";
import { createPublicKey, type KeyObject } from "node:crypto";
import { ivBytes, keyEncodings, type Profile } from "../../../shared/envelope/profile.ts";
import { decodeText } from "../../../shared/envelope/text.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { parseAesKey, parsePrivateKey, parsePublicKey } from "../../../shared/keys/parse-keys.ts";
import { InputError } from "../frame/command.ts";

type KeyEncoding = Profile["keyEncoding"];

/** The keys for a search; they are never printed. */
export interface SearchKeys {
  /** The AES key in every encoding in which its text is a valid key. */
  readonly aesKeys: ReadonlyMap<KeyEncoding, KeyObject>;
  readonly publicKey: KeyObject;
  readonly rsaBits: number;
  /** IVs to try for a profile with `iv: "fixed"`. */
  readonly fixedIvs: readonly FixedIv[];
}

/** Fixed IVs that are often used are tried, and those that are given. */
export function makeSearchKeys(
  aesKeyText: string,
  publicKey: KeyObject,
  givenIvs: readonly FixedIv[] = [],
): SearchKeys {
  const aesKeys = readAesKeys(aesKeyText);
  const rsaBits = publicKey.asymmetricKeyDetails?.modulusLength ?? 0;
  const fixedIvs = [...guessFixedIvs(aesKeyText, aesKeys), ...givenIvs];
  return { aesKeys, publicKey, rsaBits, fixedIvs };
}

/** The weakest rules that a profile can have. */
const rules = { minimumRsaBits: 1024, signaturePadding: "PSS" } as const;

function readAesKeys(text: string): ReadonlyMap<KeyEncoding, KeyObject> {
  const keys = new Map<KeyEncoding, KeyObject>();
  for (const encoding of keyEncodings) {
    const key = tryParse(() => parseAesKey(text, "--aes-key", encoding));
    if (key !== undefined) keys.set(encoding, key);
  }
  if (keys.size > 0) return keys;
  throw new InputError(
    "The file of --aes-key holds no AES key: 16, 24 or 32 bytes, written in base64, hex or as plain text.",
  );
}

export function readPublicKey(text: string): KeyObject {
  return asPlainRsa(readRsa(text, "--public-key", parsePublicKey));
}

/** The public half. The private key is not needed to verify, so it is not kept. */
export function readPublicHalf(text: string): KeyObject {
  return asPlainRsa(createPublicKey(readRsa(text, "--private-key", parsePrivateKey)));
}

/**
 * OpenSSL cannot recover a signature's content with an RSA-PSS key. The plain RSA key is at the end of its DER, after
 * the mark: SEQUENCE { SEQUENCE { mark }, BIT STRING { 0, key } }.
 */
function asPlainRsa(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== "rsa-pss") return key;
  const der = key.export({ type: "spki", format: "der" });
  const mark = contentOf(der, contentOf(der, 0).start);
  const bitString = contentOf(der, mark.end);
  return createPublicKey({ key: der.subarray(bitString.start + 1), format: "der", type: "pkcs1" });
}

/** Where the content of the DER value at this index begins and ends. */
function contentOf(der: Buffer, at: number): { readonly start: number; readonly end: number } {
  const first = der.readUInt8(at + 1);
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  const start = at + 2 + lengthBytes;
  return { start, end: start + (lengthBytes === 0 ? first : der.readUIntBE(at + 2, lengthBytes)) };
}

function readRsa(text: string, option: string, parse: typeof parsePublicKey): KeyObject {
  try {
    return parse(text, `The file of ${option}`, rules);
  } catch (error) {
    if (!(error instanceof PaycastError)) throw error;
    throw new InputError(`${error.message}${hintFor(text, option)}`);
  }
}

function hintFor(text: string, option: string): string {
  if (text.includes("BEGIN CERTIFICATE")) {
    return ' It is a certificate: take its key with "openssl x509 -pubkey -noout -in FILE".';
  }
  if (text.includes("ENCRYPTED")) return " It is protected by a passphrase.";
  return /BEGIN [A-Z ]*PUBLIC KEY/.test(text) && option === "--private-key"
    ? " It is a public key: give it as --public-key."
    : "";
}

function tryParse<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

/** An IV to try for a profile with `iv: "fixed"`. */
export interface FixedIv {
  readonly bytes: Buffer;
  /** Set if the IV is a part of the AES key: then it must not be printed. */
  readonly partOfKey?: PartOfKey;
}

interface PartOfKey {
  readonly what: string;
  /** A shell command that prints it in hex, for a user who has the key. */
  readonly command: string;
}

/** The AES key's file in a command. */
export const aesKeyName = "AES_KEY_FILE";

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
function guessFixedIvs(aesKeyText: string, aesKeys: SearchKeys["aesKeys"]): FixedIv[] {
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
    base64: `base64 -d ${aesKeyName} | head -c ${size} | ${inHex}`,
    hex: `head -c ${2 * size} ${aesKeyName}`,
    "utf-8": `head -c ${size} ${aesKeyName} | ${inHex}`,
  };
  const unit = encoding === "utf-8" ? "characters of the AES key's text" : "bytes of the AES key";
  const partOfKey = { what: `the first ${size} ${unit}, in hex`, command: commands[encoding] };
  return { bytes: bytes.subarray(0, size), partOfKey };
}
