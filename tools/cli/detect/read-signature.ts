import { Buffer } from "node:buffer";
import { constants, createHash, type KeyObject, publicDecrypt } from "node:crypto";
import {
  type Profile,
  signatureHashes,
  type TextEncoding,
  textEncodings,
} from "../../../shared/envelope/profile.ts";
import { decodeText } from "../../../shared/envelope/text.ts";

/** One way in which a signature may have been made. */
export type SignatureScheme = Pick<Profile, "signaturePadding" | "signatureHash">;

interface RecoveredScheme {
  readonly scheme: SignatureScheme;
  /** Whether it signs this text. It compares digests, because a search has a thousand texts. */
  readonly isOf: (signed: Buffer) => boolean;
}

export type SignatureReading =
  /** The public key shows how it was made, but not yet for which text. The first scheme is the most likely. */
  | {
      readonly reached: "recovered";
      readonly encodings: readonly TextEncoding[];
      readonly schemes: readonly RecoveredScheme[];
    }
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
  const schemes = readPkcs1(first.bytes, key) ?? readPss(first.bytes, key, rsaBits);
  if (schemes === undefined) return { reached: "other-key" };
  if (typeof schemes === "string") return { reached: "not-expressible", what: schemes };
  return { reached: "recovered", encodings: fitting.map(({ encoding }) => encoding), schemes };
}

/** The possible schemes, or the name of a scheme that no profile can express. */
type Made = readonly RecoveredScheme[] | string | undefined;

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
  const signaturePadding = "PKCS1-v1_5";
  const named = Object.entries(digestPrefixes).find(([, prefix]) => content.startsWith(prefix));
  if (named === undefined) return `${signaturePadding} with a digest that does not name its hash`;
  const signatureHash = signatureHashes.find((known) => known === named[0]);
  if (signatureHash === undefined) return `${signaturePadding} with ${named[0]}`;
  const isOf = (signed: Buffer) =>
    content === named[1] + digestOf(signatureHash, signed).toString("hex");
  return [{ scheme: { signaturePadding, signatureHash }, isOf }];
}

const zeroBytesBeyondChance = 8;

function readPss(signature: Buffer, key: KeyObject, rsaBits: number): Made {
  const decrypted = tryDecrypt(signature, key, constants.RSA_NO_PADDING);
  if (decrypted === undefined) return undefined;
  // Some libraries always use SHA-1 for the mask, even with another hash.
  const foreign = ["SHA-256", "SHA-512"].find((hash) => {
    const content = unmaskPss(decrypted, rsaBits, hash, "SHA-1");
    return content !== undefined && content.zeroBytes >= zeroBytesBeyondChance;
  });
  if (foreign !== undefined) return `PSS with ${foreign} and a mask (MGF1) of SHA-1`;
  const found = signatureHashes.flatMap((signatureHash) => {
    const content = unmaskPss(decrypted, rsaBits, signatureHash, signatureHash);
    const scheme = { signaturePadding: "PSS", signatureHash } as const;
    return content ? [{ scheme, ...content }] : [];
  });
  const schemes = found.sort((left, right) => right.zeroBytes - left.zeroBytes);
  return schemes.length === 0 ? undefined : schemes;
}

function tryDecrypt(signature: Buffer, key: KeyObject, padding: number): Buffer | undefined {
  try {
    return publicDecrypt({ key, padding }, signature);
  } catch {
    return undefined;
  }
}

const trailer = 0xbc;

/**
 * Removes the mask from an encoded message (RFC 8017, section 9.1). Without the signed text this shows whether it is
 * PSS with this hash: then zeros and a one precede the salt. Without zeros, that may be a coincidence.
 */
function unmaskPss(decrypted: Buffer, modulusBits: number, hash: string, maskHash: string) {
  const encodedBits = modulusBits - 1;
  const encoded = decrypted.subarray(-Math.ceil(encodedBits / 8));
  const blockBytes = encoded.length - digestOf(hash, Buffer.alloc(0)).length - 1;
  if (blockBytes < 1 || encoded.at(-1) !== trailer) return undefined;
  const digest = encoded.subarray(blockBytes, -1);
  const mask = maskOf(maskHash, digest);
  const block = encoded.subarray(0, blockBytes).map((byte, index) => byte ^ (mask[index] ?? 0));
  block[0] = (block[0] ?? 0) & (0xff >> (8 * encoded.length - encodedBits));
  const zeroBytes = block.findIndex((byte) => byte !== 0);
  if (block[zeroBytes] !== 0x01) return undefined;
  const salt = block.subarray(zeroBytes + 1);
  const isOf = (signed: Buffer) =>
    digestOf(hash, Buffer.concat([Buffer.alloc(8), digestOf(hash, signed), salt])).equals(digest);
  return { zeroBytes, isOf };
}

/** MGF1 (RFC 8017, section B.2.1), longer than any key. */
function maskOf(hash: string, seed: Buffer): Buffer {
  const counters = Array.from({ length: 128 }, (_item, counter) => Buffer.from([0, 0, 0, counter]));
  return Buffer.concat(counters.map((counter) => digestOf(hash, Buffer.concat([seed, counter]))));
}

function digestOf(hash: string, bytes: Buffer): Buffer {
  return createHash(hash.replace("-", "").toLowerCase()).update(bytes).digest();
}
