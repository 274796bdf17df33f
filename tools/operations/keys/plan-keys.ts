import { randomUUID } from "node:crypto";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import type { Target } from "../target/target.ts";
import { composeKeys, type GivenKeys } from "./compose-keys.ts";
import {
  compareKeys,
  differencesOf,
  type GoodKeys,
  inspectKeys,
  keysInvalid,
  type SecretKind,
} from "./inspect-keys.ts";
import type { Placing } from "./move-stages.ts";
import { type Proof, proveKeys } from "./prove-keys.ts";
import { readMerchantKeys, type StoredKeys, type StoredVersion } from "./stored-keys.ts";
import { readVersionUse } from "./version-use.ts";

/** "set" and "rotate" keep the current version as the previous one, "correct" and "revoke" take it out. */
export type KeysAct = "set" | "correct" | "rotate" | "revoke";

/** A new version of one secret. `text` and `keys` are never shown. */
export interface SecretChange extends Placing {
  readonly secretId: string;
  readonly text: string;
  readonly keys: GoodKeys;
  readonly stored: StoredKeys;
  /** Until when the version that will be the previous one verifies callbacks. */
  readonly verifiesUntil: string | undefined;
}

export interface KeysPlan {
  readonly merchantId: string;
  readonly act: KeysAct;
  readonly changes: readonly SecretChange[];
  /** Secrets that hold these keys already. */
  readonly unchanged: readonly SecretKind[];
  readonly warnings: readonly string[];
  /** Reasons not to do it. The operator can insist. */
  readonly objections: readonly string[];
  /** Whether the service accepts the new request keys; undefined if there are none. */
  readonly proof?: Proof | undefined;
}

/** Setting the stored keys again succeeds. Rotating or revoking without a change exits with 1. */
export function isNewNeeded(act: KeysAct): boolean {
  return act === "rotate" || act === "revoke";
}

/** Good request keys are replaced only by proven ones: with keys that the service does not accept, nobody could buy any more. */
export function lacksProof({ changes, proof }: KeysPlan): boolean {
  const isRotated = changes.some(({ kind, way }) => kind === "request" && way === "rotate");
  return isRotated && proof !== undefined && proof.outcome !== "proven";
}

interface PlanKeys {
  readonly merchantId: string;
  readonly act: KeysAct;
  readonly given: GivenKeys;
}

/**
 * What would be stored, and how. All keys are parsed and tried here, and the service is asked a question with new request
 * keys, before anything is written. Throws `keys-invalid`, `keys-unset` or `profile-invalid`.
 */
export async function planKeys(target: Target, asked: PlanKeys): Promise<KeysPlan> {
  const { merchantId, act, given } = asked;
  const stored = await readMerchantKeys(target, merchantId);
  refuseWithoutRequestKeys(stored, given);
  const all = stored.flatMap((keys) => changeOf(keys, asked, target) ?? []);
  if (all.length === 0) throw keysInvalid(nothingGiven);
  const changes = all.filter((change) => !isUnchanged(change));
  if (isNewNeeded(act)) changes.forEach(refuseUnlessNewKeys);
  const unchanged = all.filter(isUnchanged).map(({ kind }) => kind);
  const warnings = [...changes.flatMap(warningsOf), ...warningsOfBoth(stored, changes)];
  const objections = await findObjections(target, changes);
  const request = changes.find(({ kind }) => kind === "request");
  const proof = request && (await proveKeys(target, merchantId, request));
  return { merchantId, act, changes, unchanged, warnings, objections, proof };
}

function refuseWithoutRequestKeys(stored: readonly StoredKeys[], given: GivenKeys): void {
  const areGiven = given.merchantPrivateKey !== undefined || given.requestKeys !== undefined;
  if (!areGiven || stored.some(({ kind }) => kind === "request")) return;
  throw keysInvalid("This stack does not call the payment service, so it has no request keys.");
}

const nothingGiven =
  "The keys are not complete. Callback keys need an AES key and the service's public key, request keys an AES key and the merchant's private key.";

/** What the given keys change in this secret; undefined if none are for it. */
function changeOf(
  stored: StoredKeys,
  { given, act }: PlanKeys,
  { previousKeysMilliseconds }: Target,
): SecretChange | undefined {
  const { kind, merchantId, secretId, current, previous } = stored;
  const text = composeKeys(stored, given);
  if (text === undefined) return undefined;
  const { keys, problem } = inspectKeys(kind, merchantId, text);
  if (keys === undefined) throw keysInvalid(`The new ${kind} keys: ${problem}`);
  const way = wayOf(current, act);
  const now = Date.now();
  // A previous version whose time is over must not get a new one.
  const isUsable = previous?.keys !== undefined && (previous.endsAt ?? Infinity) > now;
  const kept = way === "replace" && isUsable ? previous.versionId : undefined;
  const ids = { versionId: randomUUID(), current: current?.versionId, kept };
  const willBePrevious = way === "rotate" ? current?.versionId : kept;
  const isVerifying = kind === "callback" && willBePrevious !== undefined;
  const verifiesUntil = isVerifying ? toRfc3339(now + previousKeysMilliseconds) : undefined;
  return { kind, way, ...ids, secretId, text, keys, stored, verifiesUntil };
}

/** A broken current version was never used. If it became the previous one, it would push a good one out. */
function wayOf(current: StoredVersion | undefined, act: KeysAct): Placing["way"] {
  if (current === undefined) return "first";
  const isTakenOut = act === "correct" || act === "revoke";
  return isTakenOut || current.keys === undefined ? "replace" : "rotate";
}

/** Storing the same keys again would push the previous version out. */
function isUnchanged({ stored: { current }, keys }: SecretChange): boolean {
  if (current?.keys === undefined) return false;
  const { areSameKeys, isSameProfile } = compareKeys(keys, current.keys);
  return areSameKeys && isSameProfile;
}

function refuseUnlessNewKeys({ kind, stored: { current }, keys }: SecretChange): void {
  if (current === undefined) {
    throw new PaycastError(
      "keys-unset",
      `The ${kind} keys were never set, so there are none to replace. Use "keys set".`,
    );
  }
  if (current.keys === undefined) {
    throw keysInvalid(`The current ${kind} keys are not valid. Replace them with "keys set".`);
  }
  if (compareKeys(keys, current.keys).areSameKeys) {
    throw keysInvalid(
      `Only the wire profile of the ${kind} keys is new, the keys are the current ones. Use "keys set --correct".`,
    );
  }
}

/** A rotation takes the previous version out. If that one still verifies callbacks, they would be refused. */
async function findObjections(target: Target, changes: readonly SecretChange[]): Promise<string[]> {
  const rotated = changes.find(({ kind, way }) => kind === "callback" && way === "rotate");
  const { keys, endsAt = 0, versionId = "" } = rotated?.stored.previous ?? {};
  if (keys === undefined || endsAt <= Date.now()) return [];
  const { lastUsedAt, problem } = await readVersionUse(target);
  const usedAt = lastUsedAt.get(versionId);
  const then =
    "This change would take them out, and the callbacks that still use them would be refused.";
  const previous = "previous callback keys of the last rotation are still in use";
  if (problem !== undefined) return [`Whether the ${previous} is not known. ${problem} ${then}`];
  if (usedAt === undefined) return [];
  return [`The ${previous}: a callback of ${usedAt} was verified by them. ${then}`];
}

/** Of both secrets together, as they would be. Throws `keys-invalid` if that cannot be right. */
function warningsOfBoth(stored: readonly StoredKeys[], changes: readonly SecretChange[]): string[] {
  const [callback, request] = stored.map(
    ({ kind, current }) => (changes.find((change) => change.kind === kind) ?? current)?.keys,
  );
  if (callback === undefined || request === undefined) return [];
  if (!compareKeys(callback, request).isSameRsaKey) return differencesOf(callback, request);
  throw keysInvalid(
    "The service's public key is the public half of the merchant's own private key. Callbacks are signed by the service: ask it for its public key.",
  );
}

function warningsOf({ kind, keys, stored: { previous } }: SecretChange): string[] {
  const { rsaBits } = keys.facts;
  const warnings: string[] = [];
  if (rsaBits < 2048)
    warnings.push(`The RSA key of the new ${kind} keys has only ${rsaBits} bits.`);
  if (looksLikeHex(keys)) {
    warnings.push(
      'The AES key is read as base64 (192 bits), but it looks like hex (128 bits). If it is hex, the profile needs "keyEncoding": "hex".',
    );
  }
  if (previous?.keys && compareKeys(previous.keys, keys).areSameKeys) {
    warnings.push(
      `The new ${kind} keys are those of the previous version: this goes back to them.`,
    );
  }
  return warnings;
}

/** 32 hexadecimal digits are also base64, of 24 bytes. */
function looksLikeHex({ aesKey, profile }: GoodKeys): boolean {
  const isPossible = aesKey.symmetricKeySize === 24 && profile.keyEncoding === "base64";
  return isPossible && /^[0-9a-f]+$/i.test(aesKey.export().toString("base64"));
}
