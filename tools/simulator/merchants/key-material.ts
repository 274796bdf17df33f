import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { promisify } from "node:util";
import type { WireProfile } from "../wire/profile.ts";
import { readBytes } from "../wire/wire-text.ts";

const rsaBits = 2048;
const makeKeyPair = promisify(generateKeyPair);

/** Reads a PEM, or the base64 of its DER without header lines. Errors never contain the text. */
export function readPublicKey(name: string, text: string, minimumBits: number): KeyObject {
  const der = bareDer(text);
  const ways = der
    ? [
        () => createPublicKey({ key: der, format: "der", type: "spki" }),
        () => createPublicKey({ key: der, format: "der", type: "pkcs1" }),
      ]
    : [() => createPublicKey(text)];
  return rsaKey(name, ways, minimumBits);
}

export function readPrivateKey(name: string, text: string, minimumBits: number): KeyObject {
  const der = bareDer(text);
  const ways = der
    ? [
        () => createPrivateKey({ key: der, format: "der", type: "pkcs8" }),
        () => createPrivateKey({ key: der, format: "der", type: "pkcs1" }),
      ]
    : [() => createPrivateKey(text)];
  return rsaKey(name, ways, minimumBits);
}

export function readAesKey(text: string, encoding: WireProfile["keyEncoding"]): Buffer {
  const bytes = encoding === "utf-8" ? Buffer.from(text, "utf8") : readBytes(text, encoding);
  if (bytes === undefined || ![16, 24, 32].includes(bytes.length)) {
    throw new Error(`aesKey is not 16, 24 or 32 bytes in ${encoding}.`);
  }
  return bytes;
}

export function makeAesKey(encoding: WireProfile["keyEncoding"]): string {
  // A key in UTF-8 consists of typed characters: 32 hexadecimal digits are 32 bytes.
  return encoding === "utf-8"
    ? randomBytes(16).toString("hex")
    : randomBytes(32).toString(encoding);
}

export async function makeRsaKeys(): Promise<{ publicKey: string; privateKey: string }> {
  return await makeKeyPair("rsa", {
    modulusLength: rsaBits,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
}

export function publicHalf(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString();
}

function bareDer(text: string): Buffer | undefined {
  return text.includes("-----BEGIN") ? undefined : readBytes(text.replace(/\s/g, ""), "base64");
}

function rsaKey(name: string, ways: readonly (() => KeyObject)[], minimumBits: number): KeyObject {
  for (const read of ways) {
    const key = attempt(read);
    if (key?.asymmetricKeyType !== "rsa") continue;
    const keyBits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    if (keyBits >= minimumBits) return key;
    throw new Error(`${name} has ${keyBits} bits. The profile requires at least ${minimumBits}.`);
  }
  throw new Error(`${name} is not an RSA key in PEM or base64 DER.`);
}

function attempt(read: () => KeyObject): KeyObject | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
