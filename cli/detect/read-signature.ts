import type { Buffer } from "node:buffer";
import { constants, createHash, type KeyObject, publicDecrypt } from "node:crypto";
import {
  type Profile,
  signatureHashes,
  type TextEncoding,
  textEncodings,
} from "../../shared/envelope/profile.ts";
import { decodeText } from "../../shared/envelope/text.ts";
import { isPssOf, unmaskPss } from "./unmask-pss.ts";

/** One way in which a signature may have been made, and a check whether it signs a given text. */
export interface SignatureScheme {
  readonly padding: Profile["signaturePadding"];
  readonly hash: Profile["signatureHash"];
  readonly isOf: (signed: Buffer) => boolean;
}

/** A signature for which the public key shows how it was made, but not yet for which text. */
export interface RecoveredSignature {
  readonly reached: "recovered";
  readonly encodings: readonly TextEncoding[];
  /** Usually one; the first is the most likely. */
  readonly schemes: readonly SignatureScheme[];
}

export type SignatureReading =
  | RecoveredSignature
  | { readonly reached: "not-encoded" }
  | { readonly reached: "wrong-length"; readonly lengths: readonly number[] }
  | { readonly reached: "other-key" }
  | { readonly reached: "not-expressible"; readonly what: string };

/** How a signature was made, as far as the public key can show: with RSA it recovers the padded digest. */
export function readSignature(sign: string, key: KeyObject, rsaBits: number): SignatureReading {
  const decoded = textEncodings.flatMap((encoding) => {
    const bytes = decodeText(sign, encoding);
    return bytes === undefined ? [] : [{ encoding, bytes }];
  });
  if (decoded.length === 0) return { reached: "not-encoded" };
  // Encodings that give the right length give the same bytes: base64 and base64url differ in two characters.
  const fitting = decoded.filter(({ bytes }) => bytes.length === Math.ceil(rsaBits / 8));
  const [first] = fitting;
  if (first === undefined) {
    return { reached: "wrong-length", lengths: [...new Set(decoded.map((d) => d.bytes.length))] };
  }
  const made = readPkcs1(first.bytes, key) ?? readPss(first.bytes, key, rsaBits);
  if (made === undefined) return { reached: "other-key" };
  if (typeof made === "string") return { reached: "not-expressible", what: made };
  return {
    reached: "recovered",
    encodings: fitting.map(({ encoding }) => encoding),
    schemes: made,
  };
}

/** The possible schemes, or the name of a scheme that no profile can express. */
type Made = readonly SignatureScheme[] | string | undefined;

/** DER of DigestInfo up to the digest itself (RFC 8017, section 9.2). */
const digestPrefixes: Readonly<Record<string, string>> = {
  "SHA-1": "3021300906052b0e03021a05000414",
  "SHA-256": "3031300d060960864801650304020105000420",
  "SHA-512": "3051300d060960864801650304020305000440",
  MD5: "3020300c06082a864886f70d020505000410",
  "SHA-224": "302d300d06096086480165030402040500041c",
  "SHA-384": "3041300d060960864801650304020205000430",
};

function readPkcs1(signature: Buffer, key: KeyObject): Made {
  const content = tryDecrypt(signature, key, constants.RSA_PKCS1_PADDING)?.toString("hex");
  if (content === undefined) return undefined;
  const padding = "PKCS1-v1_5";
  const named = Object.entries(digestPrefixes).find(([, prefix]) => content.startsWith(prefix));
  if (named === undefined) return `${padding} with a digest that does not name its hash`;
  const [name, prefix] = named;
  const hash = signatureHashes.find((known) => known === name);
  if (hash === undefined) return `${padding} with ${name}`;
  const isOf = (signed: Buffer) =>
    content === prefix + createHash(hashName(hash)).update(signed).digest("hex");
  return [{ padding, hash, isOf }];
}

function readPss(signature: Buffer, key: KeyObject, rsaBits: number): Made {
  const decrypted = tryDecrypt(signature, key, constants.RSA_NO_PADDING);
  if (decrypted === undefined) return undefined;
  const contents = signatureHashes.flatMap((hash) => {
    const content = unmaskPss(decrypted, rsaBits, hashName(hash), hashName(hash));
    return content === undefined ? [] : [{ hash, content }];
  });
  const foreign = foreignPss(decrypted, rsaBits);
  if (foreign !== undefined || contents.length === 0) return foreign;
  return contents
    .sort((one, other) => other.content.zeroBytes - one.content.zeroBytes)
    .map(({ hash, content }) => ({
      padding: "PSS",
      hash,
      isOf: (signed) => isPssOf(content, signed),
    }));
}

const zeroBytesBeyondChance = 8;

/** Some libraries always use SHA-1 for the mask, even with another hash. */
function foreignPss(decrypted: Buffer, rsaBits: number): string | undefined {
  const hash = ["SHA-256", "SHA-512"].find((name) => {
    const content = unmaskPss(decrypted, rsaBits, hashName(name), "sha1");
    return content !== undefined && content.zeroBytes >= zeroBytesBeyondChance;
  });
  return hash && `PSS with ${hash} and a mask (MGF1) of SHA-1`;
}

function tryDecrypt(signature: Buffer, key: KeyObject, padding: number): Buffer | undefined {
  try {
    return publicDecrypt({ key, padding }, signature);
  } catch {
    return undefined;
  }
}

function hashName(hash: string): string {
  return hash.replace("-", "").toLowerCase();
}
