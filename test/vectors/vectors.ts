import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import * as z from "zod";
import type { CallbackWindow, OpenedCallback } from "../../shared/envelope/open-callback.ts";
import { Refusal } from "../../shared/envelope/refusal.ts";
import { readCallbackKeys, readRequestKeys } from "../../shared/keys/keys-in-secret.ts";
import { openCallback, textOf } from "../builders/callback.ts";

/** Envelopes made by openssl, a JDK and plain Python, as `generate.sh` left them here. */
const wireValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const envelope = z.record(z.string(), wireValue);
const vector = z.object({
  name: z.string(),
  tool: z.enum(["openssl", "jdk", "python"]),
  profile: z.record(z.string(), z.unknown()),
  aesKey: z.string(),
  envelope,
  plaintext: z.string(),
});
const callbackVector = z.strictObject({ ...vector.shape, publicKey: z.string() });
const requestVector = z.strictObject({
  ...vector.shape,
  privateKey: z.string(),
  body: z.record(z.string(), z.unknown()),
});
const keyPair = z.strictObject({
  bits: z.number(),
  private: z.record(z.enum(["pkcs8Pem", "pkcs1Pem", "pkcs8Base64", "pkcs1Base64"]), z.string()),
  public: z.record(z.enum(["spkiPem", "pkcs1Pem", "spkiBase64", "pkcs1Base64"]), z.string()),
});

const pssVector = z.strictObject({
  name: z.string(),
  profile: z.record(z.string(), z.unknown()),
  aesKey: z.string(),
  publicKey: z.string(),
  privateKey: z.string(),
  envelope,
  plaintext: z.string(),
});

/** A whole request text, because its order and spelling are signed. */
const sentVector = z.strictObject({
  name: z.string(),
  profile: z.record(z.string(), z.unknown()),
  aesKey: z.string(),
  publicKey: z.string(),
  text: z.string(),
  plaintext: z.string(),
});

export type WireEnvelope = z.output<typeof envelope>;
export type CallbackVector = z.output<typeof callbackVector>;
export type RequestVector = z.output<typeof requestVector>;

export const callbackVectors = readData("callbacks.json", z.array(callbackVector));
export const requestVectors = readData("requests.json", z.array(requestVector));
export const pssVectors = readData("pss-keys.json", z.array(pssVector));
/** Made by `make-sent-vectors.py`. */
export const sentVectors = readData("sent.json", z.array(sentVector));
export const keyPairs = readData("keys.json", z.record(z.string(), keyPair));

/** All vectors were sent within a few seconds of this moment. */
const window: CallbackWindow = {
  nowMilliseconds: 1_790_000_010_000,
  maximumAgeMilliseconds: 60_000,
  maximumAheadMilliseconds: 60_000,
};

export function callbackKeysOf(
  { aesKey, profile, publicKey }: Pick<CallbackVector, "aesKey" | "profile" | "publicKey">,
  servicePublicKey = keyPairs[publicKey]!.public.spkiPem,
) {
  return readCallbackKeys(secretVersion({ aesKey, servicePublicKey, profile }));
}

export function requestKeysOf(
  { aesKey, profile }: Pick<RequestVector, "aesKey" | "profile">,
  merchantPrivateKey: string,
) {
  return readRequestKeys(secretVersion({ aesKey, merchantPrivateKey, profile }));
}

function secretVersion(secret: object) {
  return { versionId: "v1", createdAtMilliseconds: 0, text: JSON.stringify(secret) };
}

/** Opens envelopes with one vector's keys, whatever merchant they name: only the wire is on trial. */
export function openerFor(vector: CallbackVector, keys = callbackKeysOf(vector)) {
  return openerWith(keys);
}

export function openerWith(keys: ReturnType<typeof callbackKeysOf>) {
  const versions = [{ versionId: "v1", stage: "current", keys }] as const;
  return (sent: Partial<WireEnvelope> | string): OpenedCallback => {
    const text = typeof sent === "string" ? sent : JSON.stringify(sent);
    return openCallback(Buffer.from(text), () => versions, window);
  };
}

/** The plaintext of an envelope that opens, or the class and the reason of its refusal. */
export function outcomeOf(open: () => OpenedCallback): string {
  try {
    return textOf(open()).text;
  } catch (error) {
    if (error instanceof Refusal) return `${error.refusalClass}: ${error.reason}`;
    throw error;
  }
}

function readData<T extends z.ZodType>(file: string, schema: T): z.output<T> {
  return schema.parse(JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8")));
}
