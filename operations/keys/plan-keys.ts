import { PaycastError } from "../../shared/paycast-error.ts";
import { findMerchant, type Target } from "../target/target.ts";
import type { GivenKeys } from "./compose-keys.ts";
import { compareKeys, differencesOf, type ParsedKeys, type SecretKind } from "./inspect-keys.ts";
import { type Proof, proveKeys } from "./prove-keys.ts";
import { changeOf, isUnchanged, type KeysAct, type SecretChange } from "./secret-change.ts";
import { previousEndsAt, readMerchantKeys, type StoredKeys } from "./stored-keys.ts";
import { readVersionUse } from "./version-use.ts";

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

/** Good request keys are replaced only by proven ones: with keys that the service does not accept, nobody could buy any more. */
export function lacksProof({ changes, proof }: Pick<KeysPlan, "changes" | "proof">): boolean {
  const isRotated = changes.some(({ kind, way }) => kind === "request" && way === "rotate");
  return isRotated && proof !== undefined && proof.outcome !== "proven";
}

interface PlanKeys {
  readonly merchantId: string;
  readonly act: KeysAct;
  readonly given: GivenKeys;
  readonly now?: () => number;
}

/**
 * What would be stored, and how. All keys are parsed and tried here, and the service is asked a question with new request
 * keys, before anything is written. Throws `keys-invalid`, `keys-unset` or `profile-invalid`.
 */
export async function planKeys(target: Target, options: PlanKeys): Promise<KeysPlan> {
  const { merchantId, act, given, now = Date.now } = options;
  const stored = await readMerchantKeys(target, findMerchant(target, merchantId));
  refuseWithoutRequestKeys(stored, given);
  const all = stored.flatMap((keys) => changeOf(keys, given, act, target, now()) ?? []);
  if (all.length === 0) throw invalid(nothingGiven);
  const changes = all.filter((change) => !isUnchanged(change));
  if (act === "rotate" || act === "revoke") changes.forEach(refuseUnlessNewKeys);
  const unchanged = all.filter(isUnchanged).map(({ kind }) => kind);
  const warnings = [...changes.flatMap(warningsOf), ...warningsOfBoth(stored, changes)];
  const objections = await findObjections(target, changes, now);
  const request = changes.find(({ kind }) => kind === "request");
  const proof = request && (await proveKeys(target, merchantId, request));
  return { merchantId, act, changes, unchanged, warnings, objections, proof };
}

function refuseUnlessNewKeys({ kind, stored: { current }, inspection }: SecretChange): void {
  if (current === undefined) {
    throw new PaycastError(
      "keys-unset",
      `The ${kind} keys were never set, so there are none to replace. Use "keys set".`,
    );
  }
  if (current.inspection.kind === "broken") {
    throw invalid(`The current ${kind} keys are not valid. Replace them with "keys set".`);
  }
  if (compareKeys(inspection.keys, current.inspection.keys).areSameKeys) {
    throw invalid(
      `Only the wire profile of the ${kind} keys is new, the keys are the current ones. Use "keys set --correct".`,
    );
  }
}

function refuseWithoutRequestKeys(stored: readonly StoredKeys[], given: GivenKeys): void {
  const areGiven = given.merchantPrivateKey !== undefined || given.requestKeys !== undefined;
  if (!areGiven || stored.some(({ kind }) => kind === "request")) return;
  throw invalid("This stack does not call the payment service, so it has no request keys.");
}

const nothingGiven =
  "The keys are not complete. Callback keys need an AES key and the service's public key, request keys an AES key and the merchant's private key.";

/** A rotation takes the previous version out. If that one still verifies callbacks, they would be refused. */
async function findObjections(
  target: Target,
  changes: readonly SecretChange[],
  now: () => number,
): Promise<string[]> {
  const rotated = changes.find(({ kind, way }) => kind === "callback" && way === "rotate");
  if (rotated?.stored.previous?.inspection.kind !== "good") return [];
  const { versionId } = rotated.stored.previous;
  const endsAt = previousEndsAt(rotated.stored, target.previousKeysMilliseconds) ?? 0;
  if (endsAt <= now()) return [];
  const { lastUsedAt, problem } = await readVersionUse(target, { now });
  const then =
    "This change would take them out, and the callbacks that still use them would be refused.";
  if (problem !== undefined) {
    return [
      `Whether the previous callback keys of the last rotation are still in use is not known. ${problem} ${then}`,
    ];
  }
  const usedAt = lastUsedAt.get(versionId);
  if (usedAt === undefined) return [];
  return [
    `The previous callback keys of the last rotation are still in use: a callback of ${usedAt} was verified by them. ${then}`,
  ];
}

/** Of both secrets together, as they would be. Throws `keys-invalid` if that cannot be right. */
function warningsOfBoth(stored: readonly StoredKeys[], changes: readonly SecretChange[]): string[] {
  const keysOf = (wanted: SecretKind): ParsedKeys | undefined => {
    const change = changes.find(({ kind }) => kind === wanted);
    const inspection =
      change?.inspection ?? stored.find(({ kind }) => kind === wanted)?.current?.inspection;
    return inspection?.kind === "good" ? inspection.keys : undefined;
  };
  const [callback, request] = [keysOf("callback"), keysOf("request")];
  if (callback === undefined || request === undefined) return [];
  if (!compareKeys(callback, request).isSameRsaKey) return differencesOf(callback, request);
  throw invalid(
    "The service's public key is the public half of the merchant's own private key. Callbacks are signed by the service: ask it for its public key.",
  );
}

function warningsOf({ kind, facts, inspection: { keys }, stored }: SecretChange): string[] {
  const before = stored.previous?.inspection;
  const isReturn = before?.kind === "good" && compareKeys(before.keys, keys).areSameKeys;
  return [
    ...(facts.rsaBits < 2048
      ? [`The RSA key of the new ${kind} keys has only ${facts.rsaBits} bits.`]
      : []),
    ...(looksLikeHex(keys)
      ? [
          'The AES key is read as base64 (192 bits), but it looks like hex (128 bits). If it is hex, the profile needs "keyEncoding": "hex".',
        ]
      : []),
    ...(isReturn
      ? [`The new ${kind} keys are those of the previous version: this goes back to them.`]
      : []),
  ];
}

/** 32 hexadecimal digits are also base64, of 24 bytes. */
function looksLikeHex({ aesKey, profile }: ParsedKeys): boolean {
  const isPossible = aesKey.symmetricKeySize === 24 && profile.keyEncoding === "base64";
  return isPossible && /^[0-9a-f]+$/i.test(aesKey.export().toString("base64"));
}

function invalid(message: string): PaycastError {
  return new PaycastError("keys-invalid", message);
}
