import { Buffer } from "node:buffer";
import { constants, createHash, type KeyObject, publicDecrypt } from "node:crypto";
import {
  type Profile,
  signatureHashes,
  type TextEncoding,
  textEncodings,
} from "../../shared/envelope/profile.ts";
import { decodeText } from "../../shared/envelope/text.ts";

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

/** What a PSS signature holds besides its padding: a digest of salt and message, and the salt (RFC 8017, section 9.1). */
interface PssContent {
  readonly hashName: string;
  readonly digest: Buffer;
  readonly salt: Buffer;
  /** The number of zero bytes before the salt. With none, the form may be a coincidence. */
  readonly zeroBytes: number;
}

const trailer = 0xbc;

/**
 * Removes the mask from an encoded message. This shows without the signed text whether it is PSS with this hash, so a
 * search compares digests instead of verifying thousands of signatures.
 */
function unmaskPss(
  decrypted: Buffer,
  modulusBits: number,
  hashName: string,
  maskHashName: string,
): PssContent | undefined {
  const encodedBits = modulusBits - 1;
  const encoded = decrypted.subarray(-Math.ceil(encodedBits / 8));
  const hashBytes = digestOf(hashName, Buffer.alloc(0)).length;
  const blockBytes = encoded.length - hashBytes - 1;
  if (blockBytes < 1 || encoded.at(-1) !== trailer) return undefined;
  const digest = encoded.subarray(blockBytes, -1);
  const block = exclusiveOr(encoded.subarray(0, blockBytes), maskOf(maskHashName, digest));
  block[0] = (block[0] ?? 0) & (0xff >> (8 * encoded.length - encodedBits));
  const zeroBytes = block.findIndex((byte) => byte !== 0);
  if (block[zeroBytes] !== 0x01) return undefined;
  return { hashName, digest, salt: block.subarray(zeroBytes + 1), zeroBytes };
}

/** Whether the signature signs these bytes. */
function isPssOf({ hashName, digest, salt }: PssContent, signed: Buffer): boolean {
  const signedDigest = digestOf(hashName, signed);
  return digestOf(hashName, Buffer.concat([Buffer.alloc(8), signedDigest, salt])).equals(digest);
}

/** MGF1 (RFC 8017, section B.2.1), longer than any key. */
function maskOf(hashName: string, seed: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let counter = 0; counter < 128; counter++) {
    parts.push(digestOf(hashName, Buffer.concat([seed, Buffer.from([0, 0, 0, counter])])));
  }
  return Buffer.concat(parts);
}

function exclusiveOr(bytes: Buffer, mask: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, index) => byte ^ (mask[index] ?? 0)));
}

function digestOf(hashName: string, bytes: Buffer): Buffer {
  return createHash(hashName).update(bytes).digest();
}
