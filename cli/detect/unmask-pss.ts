import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";

/** What a PSS signature holds besides its padding: a digest of salt and message, and the salt (RFC 8017, section 9.1). */
export interface PssContent {
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
export function unmaskPss(
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
export function isPssOf({ hashName, digest, salt }: PssContent, signed: Buffer): boolean {
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
