import { Buffer } from "node:buffer";
import type { KeyObject } from "node:crypto";
import type { RefusalReason } from "../errors/error-codes.ts";
import { parseJson } from "../json/parse-json.ts";
import { decryptBody, payForWrongTag } from "./cipher.ts";
import { type Deduplication, deduplicationOf } from "./deduplication.ts";
import type { Envelope } from "./envelope.ts";
import { NotDecrypted } from "./not-decrypted.ts";
import type { Profile } from "./profile.ts";
import { isSignedReason, Refusal } from "./refusal.ts";
import { isSignedBy } from "./signature.ts";
import { isSignable, isSigned, signedBytes } from "./signed-bytes.ts";
import { memberSources } from "./source-text.ts";
import { decodeUtf8, withoutByteOrderMark } from "./text.ts";

/** The parsed keys of a merchant. The algorithms come from the profile, never from a request. */
export interface CallbackKeys {
  readonly profile: Profile;
  readonly aesKey: KeyObject;
  readonly servicePublicKey: KeyObject;
}

/** Keys, and the version of the secret that holds them. During a rotation two versions are valid. */
export interface KeyVersion<K> {
  readonly versionId: string;
  readonly stage: "current" | "previous";
  /** For a previous version: when the current one was created. */
  readonly replacedAtMilliseconds?: number | undefined;
  readonly keys: K;
}

/** The range of accepted timestamps. The clock is an argument. */
export interface CallbackWindow {
  readonly nowMilliseconds: number;
  readonly maximumAgeMilliseconds: number;
  readonly maximumAheadMilliseconds: number;
}

/**
 * An authentic callback. The service's signature covers every defined field; fields that were not signed are undefined.
 */
export interface OpenedCallback {
  readonly merchantId: string;
  /** As the service sent it, for people to search. */
  readonly id: string | undefined;
  readonly eventName: string | undefined;
  readonly sentAtMilliseconds: number | undefined;
  readonly content: CallbackContent;
  readonly deduplication: Deduplication;
  readonly verifiedBy: Omit<KeyVersion<unknown>, "keys">;
}

/**
 * The content of an authentic body. Only text can state a fact; anything else is kept byte for byte for an operator.
 */
export type CallbackContent =
  /** `result` is the parsed JSON, or undefined if the text is not JSON. */
  | { readonly kind: "text"; readonly text: string; readonly result: unknown }
  /** The decrypted bytes. The signature covers them (`signs: plaintext`). */
  | { readonly kind: "not-utf-8"; readonly bytes: Buffer };

/**
 * Decrypts and verifies an envelope with each valid key version (keys/key-ring.ts decides which are valid).
 *
 * After a rotation of the AES key alone, both versions verify a signed ciphertext, and one of them decrypts it. Throws
 * `NotDecrypted` if none does. Throws a `Refusal` if none verifies. Its reason goes into the log only: if a signature
 * matched, the reason found after that, otherwise the reason of the current version.
 */
export function openEnvelope(
  envelope: Envelope,
  versions: readonly KeyVersion<CallbackKeys>[],
  window: CallbackWindow,
): OpenedCallback {
  let notDecrypted: NotDecrypted | undefined;
  let reason: RefusalReason | undefined;
  for (const version of versions) {
    const opened = tryOpen(envelope, version, window);
    if (typeof opened === "string") reason = preferSigned(reason, opened);
    else if (opened instanceof NotDecrypted) notDecrypted ??= opened;
    else return opened;
  }
  if (notDecrypted !== undefined) throw notDecrypted;
  throw new Refusal("not-authentic", reason ?? "unknown-merchant");
}

/**
 * A reason found after a matching signature says more. During a rotation, the current keys cannot verify what the
 * service still signs with the previous ones.
 */
function preferSigned(first: RefusalReason | undefined, next: RefusalReason): RefusalReason {
  return first === undefined || (isSignedReason(next) && !isSignedReason(first)) ? next : first;
}

function tryOpen(
  envelope: Envelope,
  version: KeyVersion<CallbackKeys>,
  window: CallbackWindow,
): OpenedCallback | NotDecrypted | RefusalReason {
  const { keys, versionId, stage, replacedAtMilliseconds } = version;
  const { profile } = keys;
  const verified = verifiedBody(envelope, keys);
  if (typeof verified === "string") return verified;
  const ageMilliseconds = window.nowMilliseconds - envelope.timestampMilliseconds;
  if (ageMilliseconds > window.maximumAgeMilliseconds) return "too-old";
  if (-ageMilliseconds > window.maximumAheadMilliseconds) return "too-new";
  const content = contentOf(verified, profile);
  if (!isForMerchant(content, envelope.merchantId, profile)) return "merchant-differs";
  const signed = {
    merchantId: envelope.merchantId,
    id: isSigned(profile, "id") ? envelope.id : undefined,
    eventName: isSigned(profile, "eventName") ? envelope.eventName : undefined,
  };
  if (content === undefined) return new NotDecrypted(signed);
  return {
    ...signed,
    sentAtMilliseconds: isSigned(profile, "timestamp") ? envelope.timestampMilliseconds : undefined,
    content,
    deduplication: deduplicationOf(envelope, verified.bytes, profile),
    verifiedBy: { versionId, stage, replacedAtMilliseconds },
  };
}

/** An authentic body: decrypted, or as sent if the signed ciphertext cannot be decrypted. */
interface VerifiedBody {
  readonly isDecrypted: boolean;
  readonly bytes: Buffer;
}

/** The interface allows both readings (§4.4 and §5.4 against §5.3), so the profile decides what is signed. */
function verifiedBody(envelope: Envelope, keys: CallbackKeys): VerifiedBody | RefusalReason {
  return keys.profile.signs === "ciphertext"
    ? verifyThenDecrypt(envelope, keys)
    : decryptThenVerify(envelope, keys);
}

function verifyThenDecrypt(envelope: Envelope, keys: CallbackKeys): VerifiedBody | RefusalReason {
  const sent = Buffer.from(envelope.body);
  if (!isVerified(envelope, sent, keys)) return "wrong-signature";
  const { isIntact, bytes } = decryptBody(envelope.body, keys.aesKey, keys.profile);
  return { isDecrypted: isIntact, bytes: isIntact ? bytes : sent };
}

/**
 * Verifies the signature even if the body cannot be decrypted: wrong padding and a wrong signature then take the same
 * time, so timing reveals nothing about the padding.
 */
function decryptThenVerify(envelope: Envelope, keys: CallbackKeys): VerifiedBody | RefusalReason {
  const { isIntact, bytes } = decryptBody(envelope.body, keys.aesKey, keys.profile);
  const isSignedBody = isVerified(envelope, bytes, keys);
  if (!isIntact) return "cannot-decrypt";
  if (isSignedBody) return { isDecrypted: true, bytes };
  payForWrongTag(keys.profile);
  return "wrong-signature";
}

/** An envelope that nobody can have signed is verified too, for equal timing, but always fails. */
function isVerified(envelope: Envelope, body: Buffer, keys: CallbackKeys): boolean {
  const { profile, servicePublicKey } = keys;
  const signed = signedBytes(envelope, body, profile);
  const isSignature = isSignedBy(servicePublicKey, signed, envelope.sign, profile);
  return isSignature && isSignable(envelope, body, profile);
}

/** Undefined if the body is not decrypted. */
function contentOf(
  { isDecrypted, bytes }: VerifiedBody,
  { signs }: Profile,
): CallbackContent | undefined {
  const text = isDecrypted ? decodeUtf8(bytes) : undefined;
  if (signs === "ciphertext" && !looksLikeResult(text)) return undefined;
  if (text === undefined) return { kind: "not-utf-8", bytes };
  return { kind: "text", text, result: parseJson(withoutByteOrderMark(text)) };
}

/**
 * A signature of the ciphertext says nothing about the AES key, and one wrong key in 256 passes the check of the
 * padding. What it decrypts to is not UTF-8, or not the beginning of a result object.
 */
function looksLikeResult(text: string | undefined): boolean {
  return text !== undefined && /^[ \t\r\n]*\{/.test(withoutByteOrderMark(text));
}

/**
 * If the signature does not cover the envelope's merchant id, the body must not name another merchant. A signed
 * ciphertext may have been created for another merchant: it is ours only if our AES key decrypts it to JSON.
 */
function isForMerchant(
  content: CallbackContent | undefined,
  merchantId: string,
  profile: Profile,
): boolean {
  if (isSigned(profile, "merchantId")) return true;
  if (content?.kind !== "text" || content.result === undefined) {
    return profile.signs === "plaintext";
  }
  return !namesOtherMerchant(content.result, content.text, merchantId);
}

function namesOtherMerchant(result: unknown, json: string, merchantId: string): boolean {
  if (typeof result !== "object" || result === null || !("merchantId" in result)) return false;
  const named = result.merchantId;
  const isAbsent = named === null || named === undefined || named === "";
  if (isAbsent || named === merchantId) return false;
  // Some senders write an id of digits as a number. Its text counts, because JSON.parse may have rounded it.
  return typeof named !== "number" || memberSources(json).get("merchantId") !== merchantId;
}
