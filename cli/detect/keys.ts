import type { Buffer } from "node:buffer";
import { createPublicKey, type KeyObject } from "node:crypto";
import { keyEncodings, type Profile } from "../../shared/envelope/profile.ts";
import { parseAesKey, parsePrivateKey, parsePublicKey } from "../../shared/keys/parse-keys.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import { InputError } from "../frame/command.ts";
import type { FixedIv } from "./fixed-ivs.ts";

export type KeyEncoding = Profile["keyEncoding"];

/** The keys for a search; they are never printed. */
export interface SearchKeys {
  /** The AES key in every encoding in which its text is a valid key. */
  readonly aesKeys: ReadonlyMap<KeyEncoding, KeyObject>;
  readonly publicKey: KeyObject;
  readonly rsaBits: number;
  /** IVs to try for a profile with `iv: "fixed"`. */
  readonly fixedIvs: readonly FixedIv[];
}

/** The weakest rules that a profile can have. */
const rules = { minimumRsaBits: 1024, signaturePadding: "PSS" } as const;

export function readAesKeys(text: string): ReadonlyMap<KeyEncoding, KeyObject> {
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
  const bits = contentOf(der, mark.end);
  return createPublicKey({ key: der.subarray(bits.start + 1), format: "der", type: "pkcs1" });
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
