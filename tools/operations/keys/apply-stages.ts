import { isDeepStrictEqual } from "node:util";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { failedAfter } from "../described/describe.ts";
import type { SecretKind } from "../secrets/inspect-keys.ts";
import { type SecretCalls, secretCalls } from "../secrets/secret-calls.ts";
import { isRevoked, type StageMove, type Stages } from "../secrets/stages.ts";
import type { NewVersion, StoredKeys } from "../secrets/stored-keys.ts";
import type { Target } from "../target/target.ts";
import type { Goal, SecretChange } from "./decide-stages.ts";

/** `lost`: another command changed the secret first. `stages` are those of now. */
export interface Ended {
  readonly kind: SecretKind;
  readonly outcome: "done" | "lost";
  readonly stages: Stages;
}

/**
 * Makes the changes, the callback keys first, so that callbacks of orders made with new request keys are accepted. A new
 * version is put in as AWSPENDING and read back before it becomes current.
 */
export async function changeKeys(
  target: Target,
  act: string,
  changes: readonly SecretChange[],
  calls: SecretCalls = secretCalls(target),
): Promise<Ended[]> {
  await target.audit(`keys-${act}`, auditOf(changes));
  const ends: Ended[] = [];
  for (const change of changes) {
    const { kind } = change.stored;
    const end = await changeSecret(calls, change, target.now).catch((error: unknown) => {
      const before = ends.map((earlier) => `The ${earlier.kind} keys are changed. `).join("");
      throw failedAfter(`${before}The ${kind} keys are not, or not wholly.`, error);
    });
    ends.push(end);
    if (end.outcome === "lost") break;
  }
  return ends;
}

function auditOf(changes: readonly SecretChange[]) {
  const known = (ids: readonly (string | undefined)[]) => ids.map((id) => id ?? "none");
  return {
    merchantId: changes[0]?.stored.merchantId ?? "none",
    secrets: changes.map(({ stored }) => stored.secretId),
    newVersions: known(changes.map(({ added }) => added?.versionId)),
    currentVersions: known(changes.map(({ stored }) => stored.stages.current)),
    previousVersions: known(changes.map(({ stored }) => stored.stages.previous)),
    currentThen: known(changes.map(({ goal }) => goal.current)),
    previousThen: known(changes.map(({ goal }) => goal.previous)),
    fingerprints: known(changes.map(({ added }) => added?.keys.facts.fingerprint)),
    aesFingerprints: known(changes.map(({ added }) => added?.keys.facts.aesFingerprint)),
  };
}

async function changeSecret(
  calls: SecretCalls,
  change: SecretChange,
  now: Target["now"],
): Promise<Ended> {
  const { kind, secretId } = change.stored;
  if (change.added !== undefined) await putAndReadBack(calls, change, change.added, now);
  const outcome = await reachGoal(calls, change.stored, change.goal);
  return { kind, outcome, stages: await calls.stagesOf(secretId) };
}

const longestStagedMilliseconds = 24 * 3_600_000;

/** The plan has tried these keys, so the same text is proof enough. */
async function putAndReadBack(
  calls: SecretCalls,
  { stored: { kind, secretId } }: SecretChange,
  { versionId, text }: NewVersion,
  now: Target["now"],
): Promise<void> {
  await calls.putPending(secretId, versionId, text);
  const put = await calls.read(secretId, versionId);
  const notCurrent = "They were not made current.";
  if (put?.text !== text) {
    const message = `Secrets Manager does not return the new ${kind} keys as they were put in. ${notCurrent}`;
    throw new PaycastError("aws-refused", message);
  }
  // The time of the previous keys counts from the creation of the current version. This computer may have slept.
  if (now() - put.createdAtMilliseconds <= longestStagedMilliseconds) return;
  throw new PaycastError("aws-refused", `The new ${kind} keys are a day old. ${notCurrent}`);
}

/** More moves than any change needs. */
const mostMoves = 8;

/**
 * Moves the stages until the goal is reached. Each move names the version that has the stage now, so Secrets Manager
 * refuses it if another command was faster; then, and after a call whose answer was lost, the secret itself tells what is
 * true.
 */
async function reachGoal(
  calls: SecretCalls,
  { kind, secretId, stages: before }: StoredKeys,
  goal: Goal,
): Promise<"done" | "lost"> {
  for (let moves = 0; moves < mostMoves; moves += 1) {
    const now = await calls.stagesOf(secretId);
    const isLost = !isOnTheWay(now, before, goal, kind);
    const move = isLost ? leftPending(now, goal) : nextMove(now, goal, kind);
    if (move === undefined) return isLost ? "lost" : "done";
    const isOver = await tryMove(calls, secretId, move, now, goal);
    if (isOver) return isLost ? "lost" : "done";
  }
  throw new PaycastError("aws-refused", "The stages of the secret change all the time.");
}

/** The own version, which will not become current. */
function leftPending({ pending }: Stages, goal: Goal): StageMove | undefined {
  const isOwn = pending !== undefined && pending === goal.notPending && pending === goal.current;
  return isOwn ? { stage: "pending", from: pending } : undefined;
}

/** True if nothing more can be done: only a label is left then, which "keys check" names and the next change replaces. */
async function tryMove(
  calls: SecretCalls,
  secretId: string,
  move: StageMove,
  now: Stages,
  goal: Goal,
): Promise<boolean> {
  try {
    await calls.move(secretId, move);
    return false;
  } catch (error) {
    const after = await calls.stagesOf(secretId);
    if (!isDeepStrictEqual(after[move.stage], now[move.stage])) return false;
    if (move.stage === "pending" && move.from === goal.current) return true;
    throw error;
  }
}

/** A secret takes 20 labels, and others may attach some. If there are more marks, the oldest one goes. */
const mostRevoked = 12;

/**
 * The next move towards what is wanted; undefined if nothing is missing. A version is marked as revoked before it loses a
 * stage, so nobody can restore it in between. Secrets Manager makes each version that loses AWSCURRENT the previous one.
 * So if callback keys are replaced and the version before them is kept, that version becomes current first: at each
 * moment, and if the command is killed after any move, it verifies. Request keys go straight: an instance that reads them
 * in between would sign with old keys for minutes, and nothing uses their previous version.
 */
export function nextMove(now: Stages, goal: Goal, kind: SecretKind): StageMove | undefined {
  if (goal.revoked !== undefined && !isRevoked(now, goal.revoked)) return markMove(now, goal);
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

function markMove({ revoked: marked = [] }: Stages, goal: Goal): StageMove {
  const [oldest] = marked;
  if (marked.length >= mostRevoked) return { stage: "revoked", from: oldest };
  return { stage: "revoked", to: goal.revoked };
}

/** The stages after a move, as Secrets Manager has them. */
export function afterMove(now: Stages, { stage, from, to }: StageMove): Stages {
  if (stage === "revoked") {
    const others = (now.revoked ?? []).filter((versionId) => versionId !== from);
    return { ...now, revoked: to === undefined ? others : [...others, to] };
  }
  const moved = { ...now, [stage]: to };
  return stage === "current" && from !== undefined ? { ...moved, previous: from } : moved;
}

/** Whether the stages are on the way from `before` to the goal. If not, somebody else has moved them. */
export function isOnTheWay(now: Stages, before: Stages, goal: Goal, kind: SecretKind): boolean {
  if (bringsBack(now, goal)) return false;
  if (now.current === before.current && now.previous === before.previous) return true;
  const move = nextMove(before, goal, kind);
  return move !== undefined && isOnTheWay(now, afterMove(before, move), goal, kind);
}

/** Another operator has revoked, in the meantime, a version that shall get a stage. */
function bringsBack(now: Stages, { current, previous }: Goal): boolean {
  const isCurrent = current !== now.current && isRevoked(now, current);
  return isCurrent || (previous !== now.previous && isRevoked(now, previous));
}
