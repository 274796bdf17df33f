import { maximumAgeMilliseconds } from "../../../shared/keys/key-ring.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import type { Proof } from "../calling/prove-keys.ts";
import type { Cell, Report, Table } from "../described/description.ts";
import { useText, type VersionUse } from "../records/version-use.ts";
import type { Target } from "../target/target.ts";
import type { Ended, SecretChange } from "./change-keys.ts";
import {
  compareKeys,
  differencesOf,
  doubtsOf,
  keyRows,
  keysInvalid,
  type SecretKind,
} from "./inspect-keys.ts";
import type { StoredKeys } from "./stored-keys.ts";

/** What happens to the versions of the secrets, one in a row. */
export function stageTable(
  changes: readonly SecretChange[],
  { previousKeysMilliseconds, now }: Target,
  use?: VersionUse,
): Table {
  const rows = changes.flatMap((change) => {
    const { kind, current, previous, pending } = change.stored;
    const stored = [current, previous, pending].filter((version) => version !== undefined);
    const until = toRfc3339(now() + previousKeysMilliseconds);
    return [...(change.added ? [change.added] : []), ...stored].map((version): readonly Cell[] => {
      const { fingerprint = "not valid", aesFingerprint = "not valid" } = version.keys?.facts ?? {};
      const { versionId } = version;
      const made = "createdAtMilliseconds" in version ? version.createdAtMilliseconds : undefined;
      const isCounted = kind === "callback" && made !== undefined && use?.problem === undefined;
      return [
        kind,
        stageThen(change, versionId, until),
        versionId,
        made === undefined ? "now" : { time: toRfc3339(made) },
        fingerprint,
        aesFingerprint,
        isCounted && use !== undefined ? useText(versionId, use) : "",
      ];
    });
  });
  return { head: ["keys", "then", "version", "made", "RSA key", "AES key", "verified"], rows };
}

function stageThen({ stored, goal }: SecretChange, versionId: string, until: string): string {
  if (versionId === goal.current) return "current";
  if (versionId === goal.previous) {
    return stored.kind === "callback" ? `previous, until ${until}` : "previous, not used";
  }
  const isPending = versionId === stored.stages.pending && versionId !== goal.notPending;
  return isPending ? "pending" : "taken out";
}

/** "set" keeps the current version as the previous one. "correct" takes it out as wrong, "revoke" as leaked. */
export type SetAct = "set" | "correct" | "revoke";

/** What would be stored, and what speaks against it. */
export interface NewKeysPlan {
  readonly merchantId: string;
  readonly act: SetAct;
  readonly changes: readonly SecretChange[];
  /** Secrets that hold these keys already. */
  readonly unchanged: readonly SecretKind[];
  /** Reasons not to do it. The operator can insist. */
  readonly objections: readonly string[];
  readonly warnings: readonly string[];
  /** Whether the service accepts the new request keys; undefined if there are none. */
  readonly proof: Proof | undefined;
  /** The options with which the operator has to insist. */
  readonly missing: readonly string[];
}

export function previewOf(target: Target, plan: NewKeysPlan): Report {
  const { merchantId, act, changes, unchanged, warnings, objections, proof, missing } = plan;
  const insist = `Nothing was changed. To do it all the same, add ${missing.join(" ")}.`;
  return {
    lines: unchanged.map((kind) => `The ${kind} keys of ${merchantId} are these already.`),
    sections: changes.flatMap(({ added, stored: { kind, current } }) => {
      if (added === undefined) return [];
      const title = `New ${kind} keys for ${merchantId}, parsed and tried:`;
      return [{ title, facts: keyRows(added.keys.facts, current?.keys?.facts) }];
    }),
    ...(changes.length > 0 && { table: stageTable(changes, target) }),
    below: [
      ...warnings.map((warning) => `Warning: ${warning}`),
      ...objections.map((objection) => `Not now: ${objection}`),
      ...(proof === undefined ? [] : [proofText(changes, proof)]),
      ...(missing.length > 0 ? [insist] : []),
      ...(changes.length > 0 ? [] : [sameText(act)]),
    ],
    data: {
      merchantId,
      act,
      changes: changes.map(shownChange),
      unchanged,
      warnings,
      objections,
      proof,
    },
    // Setting the stored keys again succeeds. A leaked version must be replaced by others.
    isGood: missing.length === 0 && (changes.length > 0 || act !== "revoke"),
  };
}

/** Everything but the keys. */
export function shownChange({ stored, goal, added }: SecretChange) {
  const { kind, secretId, stages } = stored;
  const { versionId, keys } = added ?? {};
  return { kind, secretId, stages, goal, versionId, keys: keys?.facts };
}

function proofText(changes: readonly SecretChange[], proof: Proof): string {
  const proven = `The new request keys are ${proof.text}`;
  return lacksProof(changes, proof)
    ? `Not now: ${proven} If the service does not accept them, it refuses every new order.`
    : proven;
}

function sameText(act: SetAct): string {
  return act === "revoke"
    ? "Nothing was changed: a leaked version is replaced by other keys."
    : "Nothing was changed.";
}

/** Good request keys are replaced only by proven ones: with keys that the service does not accept, nobody could buy. */
export function lacksProof(changes: readonly SecretChange[], proof: Proof | undefined): boolean {
  const isRotated = changes.some(
    ({ stored: { kind, current }, goal }) =>
      kind === "request" && goal.previous !== undefined && goal.previous === current?.versionId,
  );
  return isRotated && proof !== undefined && proof.outcome !== "proven";
}

/** What may be wrong with the new keys. Throws `keys-invalid` if they cannot be right. */
export function warningsAbout(
  stored: readonly StoredKeys[],
  changes: readonly SecretChange[],
): string[] {
  return [...changes.flatMap(warningsOf), ...warningsOfBoth(stored, changes)];
}

function warningsOf({ added, stored: { kind, previous } }: SecretChange): string[] {
  if (added === undefined) return [];
  const isReturn =
    previous?.keys !== undefined && compareKeys(previous.keys, added.keys).areSameKeys;
  const back = `The new ${kind} keys are those of the previous version: this goes back to them.`;
  return [...doubtsOf(added.keys, `new ${kind} keys`), ...(isReturn ? [back] : [])];
}

/** Of both secrets together, as they would be. */
function warningsOfBoth(stored: readonly StoredKeys[], changes: readonly SecretChange[]): string[] {
  const [callback, request] = stored.map(({ kind, current }) => {
    const change = changes.find((candidate) => candidate.stored.kind === kind);
    return change?.added?.keys ?? current?.keys;
  });
  if (callback === undefined || request === undefined) return [];
  if (!compareKeys(callback, request).isSameRsaKey) return differencesOf(callback, request);
  throw keysInvalid(
    "The service's public key is the public half of the merchant's own private key. Callbacks are signed by the service: ask it for its public key.",
  );
}

/** The preview with how it ended and what is true now. */
export function endReport(
  planned: Report,
  changes: readonly SecretChange[],
  ends: readonly Ended[],
  target: Target,
): Report {
  const isLost = ends.some(({ outcome }) => outcome === "lost");
  const untouched = changes.slice(ends.length).map(({ stored }) => stored.kind);
  return {
    ...planned,
    below: [
      ...(planned.below ?? []),
      ...ends.map(endText),
      ...untouched.map((kind) => `The ${kind} keys were not changed.`),
      ...(isLost ? [] : [effectText(changes, target.kind)]),
    ],
    data: { ...planned.data, ended: ends },
    isGood: !isLost,
  };
}

function endText({ kind, outcome, stages: { current, previous, pending } }: Ended): string {
  const now = `Versions now: current ${current ?? "none"}, previous ${previous ?? "none"}${pending === undefined ? "" : `, pending ${pending}`}.`;
  return outcome === "done"
    ? `The ${kind} keys are changed. ${now}`
    : `Another command changed the ${kind} keys first, so yours did not. ${now} Look with "keys check", then decide.`;
}

/** Without keys an instance asks for them at each callback, so the first ones are in use sooner than later ones. */
function effectText(changes: readonly SecretChange[], kind: Target["kind"]): string {
  const areFirst = changes.every(({ stored }) => stored.stages.current === undefined);
  return areFirst ? "Functions that already run use them within a minute." : instancesText(kind);
}

/** Running instances keep keys in memory, and no command reaches them. */
export function instancesText(target: Target["kind"]): string {
  const minutes = maximumAgeMilliseconds / 60_000;
  const atOnce =
    target === "local"
      ? "To end that at once, start npm start again."
      : "To end that at once, deploy a change of the functions, such as one of the config: it makes new instances.";
  return `Running instances use the keys they know for up to ${minutes} minutes more, and longer only while Secrets Manager cannot be reached. ${atOnce}`;
}
