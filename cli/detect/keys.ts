import { createPublicKey, type KeyObject } from "node:crypto";
import { keyEncodings, type Profile } from "../../shared/envelope/profile.ts";
import { parseAesKey, parsePrivateKey, parsePublicKey } from "../../shared/keys/parse-keys.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import { InputError } from "../command.ts";
import type { FixedIv } from "./fixed-ivs.ts";

export type KeyEncoding = Profile["keyEncoding"];

/** What a search is given; the keys never leave it. */
export interface SearchKeys {
  /** The AES key in every encoding in which its text makes a key. */
  readonly aesKeys: ReadonlyMap<KeyEncoding, KeyObject>;
  readonly publicKey: KeyObject;
  readonly rsaBits: number;
  /** IVs to try where the profile would say "fixed". */
  readonly fixedIvs: readonly FixedIv[];
}

/** The least that a profile's `minimumRsaBits` can say. */
const leastRsaBits = 1024;

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
  return readRsa(text, "--public-key", parsePublicKey);
}

/** The public half: the private key itself is not needed to verify, and is not kept. */
export function readPublicHalf(text: string): KeyObject {
  return createPublicKey(readRsa(text, "--private-key", parsePrivateKey));
}

function readRsa(text: string, option: string, parse: typeof parsePublicKey): KeyObject {
  try {
    return parse(text, `The file of ${option}`, leastRsaBits);
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
