import { randomUUID } from "node:crypto";
import { PaycastError } from "../../shared/paycast-error.ts";
import type { Target } from "../target/target.ts";
import { composeKeys, type GivenKeys, secretText } from "./compose-keys.ts";
import {
  haveSameAesKey,
  haveSameProfile,
  haveSameRsaKey,
  type Inspection,
  inspectKeys,
  type KeyFacts,
  type SecretKind,
} from "./inspect-keys.ts";
import { findPlanNotes, type PlanNotes } from "./plan-notes.ts";
import { type Proof, proveKeys } from "./prove-keys.ts";
import { secretCalls } from "./secret-calls.ts";
import type { Placing } from "./stage-moves.ts";
import {
  findMerchant,
  previousEndsAt,
  readMerchantKeys,
  type StoredKeys,
  type StoredVersion,
} from "./stored-keys.ts";

/** "set" and "rotate" keep the current version as the previous one, "correct" and "revoke" take it out. */
export type KeysAct = "set" | "correct" | "rotate" | "revoke";

/** A new version of one secret. `text` holds keys and is never shown. */
export interface SecretChange extends Placing {
  readonly secretId: string;
  readonly text: string;
  readonly stored: StoredKeys;
  readonly inspection: Extract<Inspection, { kind: "good" }>;
  readonly facts: KeyFacts;
  /** Until when the version that will be the previous one verifies callbacks. */
  readonly verifiesUntil: string | undefined;
}

export interface KeysPlan extends PlanNotes {
  readonly merchantId: string;
  readonly act: KeysAct;
  readonly changes: readonly SecretChange[];
  /** Secrets that hold these keys already. */
  readonly unchanged: readonly SecretKind[];
  /** Whether the service accepts the new request keys; undefined if there are none. */
  readonly proof?: Proof;
}

/** Good request keys are replaced only by proven ones: with keys that the service does not accept, nobody could buy any more. */
export function lacksProof({ changes, proof }: Pick<KeysPlan, "changes" | "proof">): boolean {
  const isRotated = changes.some(({ kind, way }) => kind === "request" && way === "rotate");
  return isRotated && proof !== undefined && proof.outcome !== "proven";
}

export interface PlanKeys {
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
  const calls = secretCalls(target.clients.secretsManager);
  const stored = await readMerchantKeys(calls, findMerchant(target, merchantId));
  if (given.merchantPrivateKey !== undefined || given.requestKeys !== undefined) {
    refuseWithoutRequestKeys(stored);
  }
  const all = stored.flatMap((keys) => {
    const change = changeOf(keys, given, act, target.previousKeysMilliseconds, now());
    return change === undefined ? [] : [change];
  });
  if (all.length === 0) throw nothingGiven();
  const changes = all.filter((change) => !isUnchanged(change));
  if (act === "rotate" || act === "revoke") changes.forEach(refuseUnlessNewKeys);
  const unchanged = all.filter(isUnchanged).map(({ kind }) => kind);
  const notes = await findPlanNotes(target, { stored, changes, nowMilliseconds: now() });
  const request = changes.find(({ kind }) => kind === "request");
  const proof = request && (await proveKeys(target, merchantId, request));
  return { merchantId, act, changes, unchanged, ...notes, ...(proof && { proof }) };
}

function changeOf(
  stored: StoredKeys,
  given: GivenKeys,
  act: KeysAct,
  lifetimeMilliseconds: number,
  nowMilliseconds: number,
): SecretChange | undefined {
  const { kind, merchantId, secretId, current } = stored;
  const fields = composeKeys(stored, given);
  if (fields === undefined) return undefined;
  const versionId = randomUUID();
  const text = secretText(kind, fields);
  const createdAtMilliseconds = nowMilliseconds;
  const inspection = inspectKeys(kind, merchantId, { versionId, createdAtMilliseconds, text });
  if (inspection.kind === "broken") {
    throw new PaycastError("keys-invalid", `The new ${kind} keys: ${inspection.message}`);
  }
  const way = wayOf(current, act);
  const kept =
    way === "replace" ? keptVersion(stored, lifetimeMilliseconds, nowMilliseconds) : undefined;
  const placing = { kind, way, versionId, current: current?.versionId, kept: kept?.versionId };
  const willBePrevious = way === "rotate" ? current : kept;
  const endsAt = willBePrevious && kind === "callback" && nowMilliseconds + lifetimeMilliseconds;
  const verifiesUntil = endsAt ? new Date(endsAt).toISOString() : undefined;
  const { facts } = inspection;
  return { ...placing, secretId, text, stored, inspection, facts, verifiesUntil };
}

/** A broken current version was never used. To keep it as the previous one would push a good one out. */
function wayOf(current: StoredVersion | undefined, act: KeysAct): Placing["way"] {
  if (current === undefined) return "first";
  const isTakenOut = act === "correct" || act === "revoke";
  return isTakenOut || current.inspection.kind === "broken" ? "replace" : "rotate";
}

/** A previous version whose time is over must not get a new one. */
function keptVersion(
  stored: StoredKeys,
  lifetimeMilliseconds: number,
  nowMilliseconds: number,
): StoredVersion | undefined {
  const { previous } = stored;
  const endsAt = previousEndsAt(stored, lifetimeMilliseconds) ?? Number.POSITIVE_INFINITY;
  return previous?.inspection.kind === "good" && endsAt > nowMilliseconds ? previous : undefined;
}

/** To store the same keys again would push the previous version out. */
function isUnchanged({ stored: { current }, inspection }: SecretChange): boolean {
  if (current?.inspection.kind !== "good") return false;
  const { keys } = current.inspection;
  return hasSameKeys(inspection.keys, keys) && haveSameProfile(inspection.keys, keys);
}

function hasSameKeys(...[one, other]: Parameters<typeof haveSameAesKey>): boolean {
  return haveSameRsaKey(one, other) && haveSameAesKey(one, other);
}

function refuseUnlessNewKeys({ kind, stored: { current }, inspection }: SecretChange): void {
  if (current === undefined) {
    const message = `The ${kind} keys were never set, so there are none to replace. Use "keys set".`;
    throw new PaycastError("keys-unset", message);
  }
  if (current.inspection.kind === "broken") {
    throw invalid(`The current ${kind} keys are not valid. Replace them with "keys set".`);
  }
  if (hasSameKeys(inspection.keys, current.inspection.keys)) {
    throw invalid(
      `Only the wire profile of the ${kind} keys is new, the keys are the current ones. Use "keys set --correct".`,
    );
  }
}

function refuseWithoutRequestKeys(stored: readonly StoredKeys[]): void {
  if (stored.some(({ kind }) => kind === "request")) return;
  throw invalid("This stack does not call the payment service, so it has no request keys.");
}

function nothingGiven(): PaycastError {
  return invalid(
    "The keys are not complete. Callback keys need an AES key and the service's public key, request keys an AES key and the merchant's private key.",
  );
}

function invalid(message: string): PaycastError {
  return new PaycastError("keys-invalid", message);
}
