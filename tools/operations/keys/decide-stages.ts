import type { SecretKind } from "./inspect-keys.ts";

/** The versions that have a stage of a secret. The functions find versions by their stage. */
export interface Stages {
  readonly current?: string | undefined;
  readonly previous?: string | undefined;
  /** A new version before it becomes current. */
  readonly pending?: string | undefined;
}
export type Stage = keyof Stages;

/** What a decision needs to know of a version. */
export interface KnownVersion {
  readonly versionId: string;
  readonly createdAtMilliseconds: number;
  /** The functions could use it: its keys are valid, and its time is not over. */
  readonly isUsable: boolean;
}

/** A secret as it is stored. */
export interface KnownStages {
  readonly stages: Stages;
  readonly current?: KnownVersion | undefined;
  readonly previous?: KnownVersion | undefined;
}

/** What an operator wants. */
export type Wish =
  /** New keys. Those of now become the previous ones. */
  | { readonly act: "set"; readonly versionId: string }
  /** New keys, because those of now are wrong. `isBegun`: these very keys were staged by a command that was stopped. */
  | { readonly act: "correct"; readonly versionId: string; readonly isBegun: boolean }
  /** New keys, because those of now have leaked. */
  | { readonly act: "replace"; readonly versionId: string }
  /** The new keys are current already: what a stopped `replace` has not done. */
  | { readonly act: "finish" }
  /** Back to the version before. */
  | { readonly act: "restore" }
  /** This version shall have no stage. */
  | { readonly act: "revoke"; readonly versionId: string };

export type Refusal = "no-previous" | "not-usable" | "is-current" | "only-usable" | "not-staged";

/** Which versions shall have the two stages that functions use. */
export interface Goal {
  readonly current: string | undefined;
  readonly previous?: string | undefined;
  /** The version that shall not be pending any more. */
  readonly notPending?: string | undefined;
}

export type Decision = { readonly goal: Goal } | { readonly refused: Refusal };

/** Decides which version shall have which stage, from what is stored and what is wanted. */
export function decideStages(stored: KnownStages, wish: Wish): Decision {
  const known = withoutDouble(stored);
  const { stages, current } = known;
  switch (wish.act) {
    case "set":
      return { goal: newGoal(wish.versionId, keptOf(known, current?.isUsable)) };
    case "correct": {
      const isResumed = wish.isBegun && isUndone(known) && current?.isUsable === true;
      return { goal: newGoal(wish.versionId, keptOf(known, isResumed)) };
    }
    // Which of the two leaked is not sure after a command was stopped, so then both go.
    case "replace":
      return { goal: newGoal(wish.versionId, keptOf(known)) };
    case "finish":
      return { goal: { current: stages.current, notPending: stages.current } };
    case "restore":
      return restored(known);
    case "revoke":
      return revoked(known, wish.versionId);
  }
}

/** A version to which somebody attached both stages by hand is no version before the current one. */
function withoutDouble(known: KnownStages): KnownStages {
  const isDouble = known.stages.previous === known.stages.current;
  return isDouble ? { ...known, previous: undefined } : known;
}

function newGoal(versionId: string, previous: string | undefined): Goal {
  return { current: versionId, previous, notPending: versionId };
}

/** The version that becomes or stays the previous one: the current one, or a usable one before it. */
function keptOf(known: KnownStages, isCurrentKept = false): string | undefined {
  const { current, previous } = known;
  if (isCurrentKept) return current?.versionId;
  return previous?.isUsable === true && !isUndone(known) ? previous.versionId : undefined;
}

/**
 * A previous version that is newer than the current one is wrong: a restore or a replacement was stopped after it had
 * made the older version current again. It never comes back.
 */
export function isUndone({ current, previous }: Omit<KnownStages, "stages">): boolean {
  if (current === undefined || previous === undefined) return false;
  return previous.createdAtMilliseconds > current.createdAtMilliseconds;
}

function restored(known: KnownStages): Decision {
  const { current, previous } = known;
  if (isUndone(known) && current?.isUsable === true) {
    return { goal: { current: current.versionId } };
  }
  if (current === undefined || previous === undefined) return { refused: "no-previous" };
  return previous.isUsable ? { goal: { current: previous.versionId } } : { refused: "not-usable" };
}

function revoked({ stages, current, previous }: KnownStages, versionId: string): Decision {
  if (versionId === stages.current) return { refused: "is-current" };
  if (versionId === stages.previous) {
    const isOnlyUsable = previous?.isUsable === true && current?.isUsable !== true;
    return isOnlyUsable ? { refused: "only-usable" } : { goal: { current: stages.current } };
  }
  if (versionId !== stages.pending) return { refused: "not-staged" };
  return { goal: { current: stages.current, previous: stages.previous, notPending: versionId } };
}

/** Takes a stage from one version and, if `to` is given, attaches it to another. */
export interface StageMove {
  readonly stage: Stage;
  /** The version that has the stage now. Secrets Manager refuses the move if it has not. */
  readonly from: string | undefined;
  readonly to?: string | undefined;
}

/**
 * The next move towards what is wanted; undefined if nothing is missing. Secrets Manager makes each version that loses
 * AWSCURRENT the previous one. So if callback keys are replaced and the version before them is kept, that version becomes
 * current first: at each moment, and if the command is killed after any move, it verifies. Request keys go straight: an
 * instance that reads them in between would sign with old keys for minutes, and nothing uses their previous version.
 */
export function nextMove(now: Stages, goal: Goal, kind: SecretKind): StageMove | undefined {
  if (now.current !== goal.current) {
    const isKept = now.previous !== undefined && now.previous === goal.previous;
    const isByWayOfKept = kind === "callback" && isKept && now.previous !== now.current;
    return { stage: "current", from: now.current, to: isByWayOfKept ? now.previous : goal.current };
  }
  if (now.previous !== goal.previous) {
    return { stage: "previous", from: now.previous, to: goal.previous };
  }
  const isPending = now.pending !== undefined && now.pending === goal.notPending;
  return isPending ? { stage: "pending", from: now.pending } : undefined;
}

/** The stages after a move, as Secrets Manager has them. */
export function afterMove(now: Stages, { stage, from, to }: StageMove): Stages {
  const moved = { ...now, [stage]: to };
  return stage === "current" && from !== undefined ? { ...moved, previous: from } : moved;
}

/** Whether the stages are on the way from `before` to the goal. If not, somebody else has moved them. */
export function isOnTheWay(now: Stages, before: Stages, goal: Goal, kind: SecretKind): boolean {
  if (now.current === before.current && now.previous === before.previous) return true;
  const move = nextMove(before, goal, kind);
  return move !== undefined && isOnTheWay(now, afterMove(before, move), goal, kind);
}
