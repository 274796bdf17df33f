import type { Buffer } from "node:buffer";
import type { KeyObject } from "node:crypto";
import { sha256Of } from "../sha256.ts";
import { decryptBody } from "./cipher.ts";
import { type Envelope, readEnvelope } from "./envelope.ts";
import type { Profile } from "./profile.ts";
import { Refusal, type RefusalReason } from "./refusal.ts";
import { isSignedBy } from "./signature.ts";
import { isSigned, signedText } from "./signed-text.ts";
import { decodeUtf8 } from "./text.ts";

/** A merchant's callback keys, parsed. */
export interface CallbackKeys {
  readonly profile: Profile;
  readonly aesKey: KeyObject;
  readonly servicePublicKey: KeyObject;
}

/** Which version of a merchant's secret keys came from; during a rotation two are good. */
export interface KeyVersion<K> {
  readonly versionId: string;
  readonly stage: "current" | "previous";
  readonly keys: K;
}

/** When a callback's timestamp is believed; the clock is an argument. */
export interface CallbackWindow {
  readonly nowMilliseconds: number;
  readonly maximumAgeMilliseconds: number;
  readonly maximumAheadMilliseconds: number;
}

/** A callback whose every field is covered by the service's signature; what was not signed is undefined here. */
export interface OpenedCallback {
  readonly merchantId: string;
  /** Whether the envelope's merchant id was signed; if not, only the keys vouch for it. */
  readonly merchantIsSigned: boolean;
  readonly id: string | undefined;
  readonly eventName: string | undefined;
  readonly sentAtMilliseconds: number | undefined;
  readonly plaintext: string;
  /** The plaintext read as JSON; undefined where it is no JSON. */
  readonly result: unknown;
  readonly deduplication: Deduplication;
  readonly verifiedBy: Omit<KeyVersion<CallbackKeys>, "keys">;
}

/** `replayable`: id or timestamp is not signed, so the record of this callback is the only guard and must not expire. */
interface Deduplication {
  readonly key: string;
  readonly replayable: boolean;
}

export function openCallback(
  bytes: Buffer,
  keysOf: (merchantId: string) => readonly KeyVersion<CallbackKeys>[] | undefined,
  window: CallbackWindow,
): OpenedCallback {
  const envelope = readEnvelope(bytes);
  return openEnvelope(envelope, keysOf(envelope.merchantId), window);
}

/** Tries each key version in turn. Throws a `Refusal` whose reason is that of the first, the current one. */
export function openEnvelope(
  envelope: Envelope,
  versions: readonly KeyVersion<CallbackKeys>[] | undefined,
  window: CallbackWindow,
): OpenedCallback {
  let reason: RefusalReason = "unknown-merchant";
  for (const [index, version] of (versions ?? []).entries()) {
    const opened = tryOpen(envelope, version, window);
    if (typeof opened === "object") return opened;
    if (index === 0) reason = opened;
  }
  throw new Refusal("not-authentic", reason);
}

function tryOpen(
  envelope: Envelope,
  version: KeyVersion<CallbackKeys>,
  window: CallbackWindow,
): OpenedCallback | RefusalReason {
  const { keys } = version;
  const plaintext = verifiedPlaintext(envelope, keys);
  if (plaintext === "cannot-decrypt" || plaintext === "wrong-signature") return plaintext;
  const ageMilliseconds = window.nowMilliseconds - envelope.timestampMilliseconds;
  if (ageMilliseconds > window.maximumAgeMilliseconds) return "too-old";
  if (-ageMilliseconds > window.maximumAheadMilliseconds) return "too-new";
  const result = parseResult(plaintext.text);
  if (!isSigned(keys.profile, "merchantId") && namesOtherMerchant(result, envelope.merchantId)) {
    return "merchant-differs";
  }
  return describeOpened(envelope, version, plaintext.text, result);
}

type Plaintext = { readonly text: string } | "cannot-decrypt" | "wrong-signature";

/** Both orders that the interface can be read to mean (§4.4 and §5.4 against §5.3). */
function verifiedPlaintext(envelope: Envelope, keys: CallbackKeys): Plaintext {
  return keys.profile.signs === "ciphertext"
    ? verifyThenDecrypt(envelope, keys)
    : decryptThenVerify(envelope, keys);
}

function verifyThenDecrypt(envelope: Envelope, keys: CallbackKeys): Plaintext {
  if (!isVerified(envelope, envelope.body, keys)) return "wrong-signature";
  const text = decrypt(envelope, keys);
  return text === undefined ? "cannot-decrypt" : { text };
}

/**
 * A body that cannot be decrypted is verified all the same: bad padding and a bad signature cost the
 * sender the same time, and so the padding tells nothing.
 */
function decryptThenVerify(envelope: Envelope, keys: CallbackKeys): Plaintext {
  const text = decrypt(envelope, keys);
  const verified = isVerified(envelope, text ?? envelope.body, keys);
  if (text === undefined) return "cannot-decrypt";
  return verified ? { text } : "wrong-signature";
}

function decrypt(envelope: Envelope, keys: CallbackKeys): string | undefined {
  const bytes = decryptBody(envelope.body, keys.aesKey, keys.profile);
  return bytes === undefined ? undefined : decodeUtf8(bytes);
}

function isVerified(envelope: Envelope, body: string, keys: CallbackKeys): boolean {
  const text = signedText(envelope.fields, body, keys.profile);
  return isSignedBy(keys.servicePublicKey, text, envelope.sign, keys.profile);
}

function parseResult(plaintext: string): unknown {
  try {
    return JSON.parse(plaintext);
  } catch {
    return undefined;
  }
}

/** A signature that does not cover the envelope's merchant id does not say for whom it was made. */
function namesOtherMerchant(result: unknown, merchantId: string): boolean {
  if (typeof result !== "object" || result === null || !("merchantId" in result)) return false;
  const named = result.merchantId;
  const isAbsent = named === null || named === undefined || named === "";
  return !isAbsent && named !== merchantId;
}

function describeOpened(
  envelope: Envelope,
  { versionId, stage, keys }: KeyVersion<CallbackKeys>,
  plaintext: string,
  result: unknown,
): OpenedCallback {
  const { profile } = keys;
  return {
    merchantId: envelope.merchantId,
    merchantIsSigned: isSigned(profile, "merchantId"),
    id: isSigned(profile, "id") ? envelope.id : undefined,
    eventName: isSigned(profile, "eventName") ? envelope.eventName : undefined,
    sentAtMilliseconds: isSigned(profile, "timestamp") ? envelope.timestampMilliseconds : undefined,
    plaintext,
    result,
    deduplication: deduplicationOf(envelope, plaintext, profile),
    verifiedBy: { versionId, stage },
  };
}

/**
 * By the callback's id where it is signed; otherwise by what is, or a body could be replayed under a new id. A
 * timestamp that is not signed can be made new at any time: then the window stops nobody.
 */
function deduplicationOf(envelope: Envelope, plaintext: string, profile: Profile): Deduplication {
  if (isSigned(profile, "id")) {
    return { key: envelope.id, replayable: !isSigned(profile, "timestamp") };
  }
  const eventName = isSigned(profile, "eventName") ? envelope.eventName : "";
  return { key: sha256Of(envelope.merchantId, eventName, plaintext), replayable: true };
}
