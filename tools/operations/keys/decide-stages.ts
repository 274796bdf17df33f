import type { HeldVersion, Stages } from "../ports/keys.ts";
import type { GoodKeys } from "../secrets/inspect-keys.ts";
import { isRevoked, isUndone, type KnownStages, type KnownVersion } from "../secrets/stages.ts";
import type { NewVersion, StoredKeys, StoredVersion } from "../secrets/stored-keys.ts";

/** What an operator wants. */
export type Wish =
  /** New keys. Those of now become the previous ones. */
  | { readonly act: "set"; readonly versionId: string }
  /** New keys, because those of now are wrong. `isBegun`: these very keys were staged by a command that was stopped. */
  | { readonly act: "correct"; readonly versionId: string; readonly isBegun: boolean }
  /** New keys, because those of now have leaked. `hasLeaked`: the previous version has them, too. */
  | { readonly act: "replace"; readonly versionId: string; readonly hasLeaked?: boolean }
  /** The new keys are current already: what a stopped `replace` has not done. */
  | { readonly act: "finish" }
  /** Back to the version before, or to a version that Secrets Manager still holds. */
  | { readonly act: "restore"; readonly version?: KnownVersion | undefined }
  /** This version shall never be used again. */
  | { readonly act: "revoke"; readonly versionId: string };

export type Refusal =
  | "no-previous"
  | "not-usable"
  | "is-revoked"
  | "restores-current"
  | "revokes-current"
  | "only-usable";

/** Which versions shall have the two stages that functions use. */
export interface Goal {
  readonly current: string | undefined;
  readonly previous?: string | undefined;
  /** The version that shall not be pending any more. */
  readonly notPending?: string | undefined;
  /** The version that shall be marked as revoked. */
  readonly revoked?: string | undefined;
}

/** What happens to one secret. */
export interface SecretChange {
  readonly stored: StoredKeys;
  readonly goal: Goal;
  readonly added?: NewVersion | undefined;
  /** A version without a stage that is restored or revoked. */
  readonly named?: HeldVersion | StoredVersion | undefined;
  /** Other versions without a stage. */
  readonly others?: readonly HeldVersion[] | undefined;
}

/** A version of a change. Of one without a stage the keys may not have been read. */
interface ChangedVersion {
  readonly versionId: string;
  readonly keys?: GoodKeys | undefined;
}

/** The versions of a change, those that the functions use afterwards first. */
export function keptFirst({ stored, goal, added, named }: SecretChange): ChangedVersion[] {
  const versions = [added, named, stored.current, stored.previous].filter(
    (version) => version !== undefined,
  );
  const isKept = ({ versionId }: { readonly versionId: string }) =>
    versionId === goal.current || versionId === goal.previous;
  return [...versions.filter(isKept), ...versions.filter((version) => !isKept(version))];
}

export type Decision = { readonly goal: Goal } | { readonly refused: Refusal };

/** Decides which version shall have which stage, from what is stored and what is wanted. */
export function decideStages(stored: KnownStages, wish: Wish): Decision {
  const known = withoutDouble(stored);
  const { stages, current } = known;
  switch (wish.act) {
    case "set":
      return { goal: newGoal(wish.versionId, keptOf(known, isGood(known, current))) };
    case "correct": {
      const isResumed = wish.isBegun && isUndone(known) && isGood(known, current);
      return { goal: newGoal(wish.versionId, keptOf(known, isResumed)) };
    }
    case "replace": {
      const kept = wish.hasLeaked ? undefined : keptOf(known);
      return { goal: { ...newGoal(wish.versionId, kept), revoked: leakedOf(known) } };
    }
    case "finish":
      return { goal: { current: stages.current, notPending: stages.current } };
    case "restore":
      return restored(known, wish.version);
    case "revoke":
      return revoked(known, wish.versionId);
  }
}

/** A version with both stages, attached by hand, is not a previous version. */
function withoutDouble(known: KnownStages): KnownStages {
  const isDouble = known.stages.previous === known.stages.current;
  return isDouble ? { ...known, previous: undefined } : known;
}

function newGoal(versionId: string, previous: string | undefined): Goal {
  return { current: versionId, previous, notPending: versionId };
}

/** The functions could use it, and it is not revoked. */
function isGood({ stages }: KnownStages, version: KnownVersion | undefined): boolean {
  return version?.isUsable === true && !isRevoked(stages, version.versionId);
}

/**
 * The new keys are current already, and a version that shall never be used again is still the previous one: the command was
 * stopped.
 */
export function isUnfinished(stages: Stages, isReplacement: boolean): boolean {
  if (stages.previous === undefined) return false;
  const isStopped = isReplacement && stages.pending === stages.current;
  return isStopped || isRevoked(stages, stages.previous);
}

/** The version that becomes or stays the previous one: the current one, or a usable one before it. */
function keptOf(known: KnownStages, isCurrentKept = false): string | undefined {
  const { current, previous } = known;
  if (isCurrentKept) return current?.versionId;
  return isGood(known, previous) && !isUndone(known) ? previous?.versionId : undefined;
}

/**
 * The leaked version is the current one. After a replacement was stopped in the middle it is the previous one, and has its
 * mark.
 */
function leakedOf(known: KnownStages): string | undefined {
  const { stages } = known;
  const isBegun = isUndone(known) && isRevoked(stages, stages.previous);
  return isBegun ? undefined : stages.current;
}

function restored(known: KnownStages, named: KnownVersion | undefined): Decision {
  const { stages, current, previous } = known;
  const isCurrent = named === undefined || named.versionId === stages.current;
  if (isCurrent && isUndone(known) && current?.isUsable === true) {
    return isGood(known, current)
      ? { goal: { current: stages.current } }
      : { refused: "is-revoked" };
  }
  const wanted = named ?? (current === undefined ? undefined : previous);
  if (wanted === undefined) return { refused: "no-previous" };
  if (isRevoked(stages, wanted.versionId)) return { refused: "is-revoked" };
  if (wanted.versionId === stages.current) return { refused: "restores-current" };
  return wanted.isUsable ? { goal: { current: wanted.versionId } } : { refused: "not-usable" };
}

function revoked(known: KnownStages, versionId: string): Decision {
  const { stages, current, previous } = known;
  if (versionId === stages.current) return { refused: "revokes-current" };
  if (versionId === stages.previous) {
    const isOnlyUsable = previous?.isUsable === true && current?.isUsable !== true;
    if (isOnlyUsable) return { refused: "only-usable" };
    return { goal: { current: stages.current, revoked: versionId } };
  }
  const isPending = versionId === stages.pending;
  if (!isPending && isRevoked(stages, versionId)) return { refused: "is-revoked" };
  const notPending = isPending ? versionId : undefined;
  const { current: now, previous: before } = stages;
  return { goal: { current: now, previous: before, notPending, revoked: versionId } };
}
