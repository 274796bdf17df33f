import { wholeSeconds } from "../../../shared/text/number-text.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { keysKeptMilliseconds } from "../../../shared/timing.ts";
import type { Proof } from "../calling/prove-keys.ts";
import type { Cell, Report, Table } from "../described/description.ts";
import type { Stack } from "../ports/stack.ts";
import type { Target } from "../ports/target.ts";
import { useText, type VersionUse } from "../records/version-use.ts";
import { keyRows, type SecretKind } from "../secrets/inspect-keys.ts";
import { isRevoked } from "../secrets/stages.ts";
import { oldKeysText } from "../secrets/stored-keys.ts";
import type { Ended } from "./apply-stages.ts";
import type { SecretChange } from "./decide-stages.ts";

/** What happens to the versions of the secrets, one in a row. */
export function stageTable(
  changes: readonly SecretChange[],
  { keys, clock }: Pick<Target, "clock" | "keys">,
  use?: VersionUse,
): Table {
  const until = wholeSeconds(toRfc3339(clock.now() + keys.previousKeysMilliseconds));
  const rows = changes.flatMap((change) =>
    versionsIn(change).map((version): readonly Cell[] => {
      const { versionId } = version;
      const made = "createdAtMilliseconds" in version ? version.createdAtMilliseconds : undefined;
      const isCounted = change.stored.kind === "callback" && made !== undefined;
      return [
        change.stored.kind,
        stageThen(change, versionId, until),
        versionId,
        made === undefined ? "now" : { time: toRfc3339(made) },
        ...fingerprintsOf(version),
        isCounted && use?.problem === undefined && use ? useText(versionId, use) : "",
      ];
    }),
  );
  return { head: ["keys", "then", "version", "created", "RSA key", "AES key", "verified"], rows };
}

type ShownVersion = NonNullable<SecretChange["added" | "named"]>;

function versionsIn({ added, named, others = [], stored }: SecretChange): ShownVersion[] {
  const { current, previous, pending } = stored;
  const staged = [added, current, previous, pending];
  const isStaged = staged.some((version) => version?.versionId === named?.versionId);
  const all = [...staged, isStaged ? undefined : named, ...others];
  return all.filter((version) => version !== undefined);
}

/** The values of other versions are not read. */
function fingerprintsOf(version: ShownVersion): readonly [rsaKey: string, aesKey: string] {
  if (!("text" in version)) return ["", ""];
  const { fingerprint = "not valid", aesFingerprint = "not valid" } = version.keys?.facts ?? {};
  return [fingerprint, aesFingerprint];
}

function stageThen({ stored, goal }: SecretChange, versionId: string, until: string): string {
  const { kind, stages } = stored;
  if (versionId === goal.current) return "current";
  if (versionId === goal.previous) {
    return kind === "callback" ? `previous, until ${until}` : "previous, not used";
  }
  if (versionId === goal.revoked || isRevoked(stages, versionId)) return "revoked";
  if (versionId === stages.pending && versionId !== goal.notPending) return "pending";
  return [stages.current, stages.previous, stages.pending].includes(versionId)
    ? "removed"
    : "not used";
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

export function previewOf(target: Pick<Target, "clock" | "keys">, plan: NewKeysPlan): Report {
  const { merchantId, act, changes, unchanged, warnings, objections, proof, missing } = plan;
  const insist = `Nothing was changed. To do it anyway, add ${missing.join(" ")}.`;
  return {
    lines: unchanged.map((kind) => `${merchantId} already has these ${kind} keys.`),
    sections: changes.flatMap(({ added, stored: { kind, current } }) => {
      if (added === undefined) return [];
      const title = `New ${kind} keys for ${merchantId}, parsed and tried:`;
      return [{ title, facts: keyRows(added.keys.facts, current?.keys?.facts) }];
    }),
    ...(changes.length > 0 && { table: stageTable(changes, target) }),
    below: [
      ...warnings.map((warning) => `Warning: ${warning}`),
      ...objections.map((objection) => `Warning: ${objection}`),
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
    ? `Warning: ${proven} If the service does not accept them, it rejects every new order.`
    : proven;
}

function sameText(act: SetAct): string {
  return act === "revoke"
    ? "Nothing was changed: a leaked version must be replaced by different keys."
    : "Nothing was changed.";
}

/** Good request keys are replaced only by proven ones: with keys that the service rejects, nobody can buy. */
export function lacksProof(changes: readonly SecretChange[], proof: Proof | undefined): boolean {
  const isRotated = changes.some(
    ({ stored: { kind, current }, goal }) =>
      kind === "request" && goal.previous !== undefined && goal.previous === current?.versionId,
  );
  return isRotated && proof !== undefined && proof.outcome !== "proven";
}

/** The preview with how it ended and what is true now. */
export function endReport(
  planned: Report,
  changes: readonly SecretChange[],
  ends: readonly Ended[],
  target: Pick<Target, "stack">,
): Report {
  const isLost = ends.some(({ outcome }) => outcome === "lost");
  const untouched = changes.slice(ends.length).map(({ stored }) => stored.kind);
  const { table } = planned;
  return {
    ...planned,
    ...(table && !isLost && { table: { ...table, head: table.head.map(nowFromThen) } }),
    below: [
      ...(planned.below ?? []),
      ...ends.map(endText),
      ...untouched.map((kind) => `The ${kind} keys were not changed.`),
      ...(isLost ? [] : [effectText(changes, ends, target)]),
    ],
    data: { ...planned.data, ended: ends },
    isGood: !isLost,
  };
}

/** What the preview promised is true now. */
function nowFromThen(name: string): string {
  return name === "then" ? "now" : name;
}

function endText({ kind, outcome, stages: { current, previous, pending } }: Ended): string {
  const now = `Versions now: current ${current ?? "none"}, previous ${previous ?? "none"}${pending === undefined ? "" : `, pending ${pending}`}.`;
  return outcome === "done"
    ? `The ${kind} keys are changed. ${now}`
    : `Another command changed the ${kind} keys first, so yours did not. ${now} Run "keys check", then decide.`;
}

/** Without keys an instance fetches them at each request. Later it uses the fetched ones for some minutes. */
function effectText(
  changes: readonly SecretChange[],
  ends: readonly Ended[],
  { stack }: Pick<Target, "stack">,
): string {
  const areFirst = changes.every(({ stored }) => stored.stages.current === undefined);
  if (areFirst) return "Functions use them from the next request on.";
  const changedAt = Math.max(...ends.map(({ stages }) => stages.changedAtMilliseconds));
  return `${oldKeysText(changedAt + keysKeptMilliseconds)} ${atOnce[stack.kind]}`;
}

/** Running instances keep keys in memory, and no command reaches them. */
const atOnce: Readonly<Record<Stack["kind"], string>> = {
  local: "To end this immediately, restart npm start.",
  deployed:
    "To end this immediately, deploy a change to the functions, such as a config change: it starts new instances.",
};

/** For a preview: what follows when it is done. */
export const afterwards = `For ${keysKeptMilliseconds / 60_000} minutes after the change, functions may use the old keys.`;
