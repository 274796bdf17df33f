import { Buffer } from "node:buffer";
import { createHash, createHmac, createPublicKey, type KeyObject } from "node:crypto";
import { decryptBody, encryptBody } from "../../../shared/envelope/cipher.ts";
import { changesFromDefault, type Profile, readProfile } from "../../../shared/envelope/profile.ts";
import { isSignedBy, signBytes } from "../../../shared/envelope/signature.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { readCallbackKeys, readRequestKeys } from "../../../shared/keys/keys-in-secret.ts";
import type { Facts } from "../described/description.ts";

/** A merchant has two secrets: callback keys open its callbacks, request keys sign its requests. */
export const secretKinds = ["callback", "request"] as const;
export type SecretKind = (typeof secretKinds)[number];

/** The keys of one version, parsed by the code of the functions. */
export interface ParsedKeys {
  readonly profile: Profile;
  readonly aesKey: KeyObject;
  /** The service's public key, or the public half of the merchant's key. */
  readonly publicKey: KeyObject;
}

/** What may be shown of keys. */
export interface KeyFacts {
  readonly fingerprint: string;
  readonly rsaBits: number;
  readonly aesBits: number;
  readonly aesFingerprint: string;
  /** What differs from the default profile. */
  readonly profile: Readonly<Record<string, unknown>>;
}

/** Keys that were parsed and tried, and what may be shown of them. */
export interface GoodKeys extends ParsedKeys {
  readonly facts: KeyFacts;
}

/** What a version holds: good keys, or why the functions cannot use it. */
export type Inspection =
  | { readonly keys: GoodKeys; readonly problem?: undefined }
  | { readonly keys?: undefined; readonly problem: string };

/** Parses a secret as the functions do, and tries its keys. */
export function inspectKeys(kind: SecretKind, merchantId: string, text: string): Inspection {
  try {
    const keys = parseAndTry(kind, text);
    return { keys: { ...keys, facts: factsOf(keys, merchantId) } };
  } catch (error) {
    if (!(error instanceof PaycastError)) throw error;
    return { problem: error.message };
  }
}

export function keysInvalid(message: string): PaycastError {
  return new PaycastError("keys-invalid", message);
}

/** Callback keys can only decrypt and verify, so of them the AES key alone can be tried both ways. */
function parseAndTry(kind: SecretKind, text: string): ParsedKeys {
  if (kind === "callback") {
    const { profile, aesKey, servicePublicKey } = readCallbackKeys({ text });
    tryCipher(aesKey, profile.cipher === "GCM" ? prefixedIv(profile) : profile);
    return { profile, aesKey, publicKey: servicePublicKey };
  }
  const { profile, aesKey, privateKey } = readRequestKeys({ text });
  const publicKey = createPublicKey(privateKey);
  tryCipher(aesKey, profile);
  trySignature(privateKey, publicKey, profile);
  return { profile, aesKey, publicKey };
}

/** GCM with another IV opens callbacks but may not seal, so the trial uses an IV of its own. */
function prefixedIv({ fixedIv: _fixedIv, ...profile }: Profile): Profile {
  return readProfile({ ...profile, iv: "prefixed" });
}

const sample = Buffer.from('{"sample":"paycast"}');

function tryCipher(aesKey: KeyObject, profile: Profile): void {
  const { isIntact, bytes } = decryptBody(encryptBody(sample, aesKey, profile), aesKey, profile);
  if (isIntact && bytes.equals(sample)) return;
  throw keysInvalid("aesKey does not decrypt what it encrypted.");
}

function trySignature(privateKey: KeyObject, publicKey: KeyObject, profile: Profile): void {
  if (isSignedBy(publicKey, sample, signed(privateKey, profile), profile)) return;
  throw keysInvalid(
    "merchantPrivateKey makes signatures that its own public half does not verify.",
  );
}

/** A key whose parts do not fit together makes OpenSSL fail. */
function signed(privateKey: KeyObject, profile: Profile): string {
  try {
    return signBytes(privateKey, sample, profile);
  } catch {
    return "";
  }
}

function factsOf({ profile, aesKey, publicKey }: ParsedKeys, merchantId: string): KeyFacts {
  return {
    fingerprint: fingerprintOf(publicKey),
    rsaBits: publicKey.asymmetricKeyDetails?.modulusLength ?? 0,
    aesBits: (aesKey.symmetricKeySize ?? 0) * 8,
    aesFingerprint: aesFingerprintOf(aesKey, merchantId),
    profile: shownProfile(profile),
  };
}

const shownBytes = 12;

/**
 * The beginning of the SHA-256 of a public key's SPKI DER, for people to compare with what the payment service shows.
 */
function fingerprintOf(publicKey: KeyObject): string {
  const digest = createHash("sha256").update(publicKey.export({ type: "spki", format: "der" }));
  const bytes = digest.digest().subarray(0, shownBytes);
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(":");
}

/**
 * Eight hexadecimal digits, to distinguish AES keys. The merchant is part of it, so equal keys of two merchants look
 * different. It is short on purpose: millions of keys have the same one, so it cannot confirm a guessed key.
 */
function aesFingerprintOf(aesKey: KeyObject, merchantId: string): string {
  const digest = createHmac("sha256", aesKey).update(`paycast-aes-fingerprint:${merchantId}`);
  return digest.digest("hex").slice(0, 8);
}

/** A fixed IV is often a part of the AES key, so it is not shown. */
function shownProfile(profile: Profile): Readonly<Record<string, unknown>> {
  const { fixedIv, ...changes } = changesFromDefault(profile);
  return fixedIv === undefined ? changes : { ...changes, fixedIv: "(set)" };
}

/** The keys for people. With the keys of now, it says which are the same. */
export function keyRows(keys: KeyFacts, now?: KeyFacts): Facts {
  const { rsaBits, fingerprint, aesBits, aesFingerprint, profile } = keys;
  const compared = (print: "fingerprint" | "aesFingerprint") => {
    if (now === undefined) return "";
    return now[print] === keys[print] ? " (as now)" : ` (now ${now[print]})`;
  };
  const isDefault = Object.keys(profile).length === 0;
  return [
    ["RSA key", `${rsaBits} bits, SHA-256 ${fingerprint}${compared("fingerprint")}`],
    ["AES key", `${aesBits} bits, fingerprint ${aesFingerprint}${compared("aesFingerprint")}`],
    ["profile", isDefault ? "the default" : JSON.stringify(profile)],
  ];
}
