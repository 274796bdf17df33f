import { isDeepStrictEqual } from "node:util";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { failedAfter } from "../described/describe.ts";
import type { DescribedStages, Keys, StageMove, Stages } from "../ports/keys.ts";
import type { Target } from "../ports/target.ts";
import type { SecretKind } from "../secrets/inspect-keys.ts";
import type { NewVersion, StoredKeys } from "../secrets/stored-keys.ts";
import type { Goal, SecretChange } from "./decide-stages.ts";
import { nextStep } from "./next-step.ts";

/** `lost`: another command changed the secret first. `stages` are those of now. */
export interface Ended {
  readonly kind: SecretKind;
  readonly outcome: "done" | "lost";
  /** As they are afterwards. */
  readonly stages: DescribedStages;
}

/**
 * Makes the changes, the callback keys first, so that callbacks of orders with new request keys are accepted. A new
 * version is stored as AWSPENDING and read back before it becomes current.
 */
export async function changeKeys(
  target: Pick<Target, "clock" | "keys" | "audit">,
  act: string,
  changes: readonly SecretChange[],
  calls: Keys = target.keys,
): Promise<Ended[]> {
  await target.audit.write(`keys-${act}`, auditOf(changes));
  const ends: Ended[] = [];
  for (const change of changes) {
    const { kind } = change.stored;
    const end = await changeSecret(calls, change, target.clock.now).catch((error: unknown) => {
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

async function changeSecret(calls: Keys, change: SecretChange, now: () => number): Promise<Ended> {
  const { kind, secretId } = change.stored;
  if (change.added !== undefined) await putAndReadBack(calls, change, change.added, now);
  const outcome = await reachGoal(calls, change.stored, change.goal);
  return { kind, outcome, stages: await calls.stagesOf(secretId) };
}

const longestStagedMilliseconds = 24 * 3_600_000;

/** The plan has tried these keys, so the same text is proof enough. */
async function putAndReadBack(
  calls: Keys,
  { stored: { kind, secretId } }: SecretChange,
  { versionId, text }: NewVersion,
  now: () => number,
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
 * rejects it if another command was faster. Then, and after a lost response, the stages are read again.
 */
async function reachGoal(
  calls: Keys,
  { kind, secretId, stages: before }: StoredKeys,
  goal: Goal,
): Promise<"done" | "lost"> {
  for (let moves = 0; moves < mostMoves; moves += 1) {
    const now = await calls.stagesOf(secretId);
    const { isLost, move } = nextStep(now, before, goal, kind);
    if (move === undefined) return isLost ? "lost" : "done";
    const isOver = await tryMove(calls, secretId, move, now, goal);
    if (isOver) return isLost ? "lost" : "done";
  }
  throw new PaycastError("aws-refused", "The stages of the secret keep changing.");
}

/** True if nothing more can be done: only a label remains, which "keys check" names and the next change replaces. */
async function tryMove(
  calls: Keys,
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
