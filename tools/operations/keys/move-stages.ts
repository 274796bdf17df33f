import { maximumAgeMilliseconds } from "../../../shared/keys/key-ring.ts";
import type { SecretKind } from "./inspect-keys.ts";
import type { SecretCalls, StageHolders, StageMove } from "./stored-keys.ts";

/** How a new version takes its place. */
type Way =
  /** The secret has no value yet. */
  | "first"
  /** The current version becomes the previous one. */
  | "rotate"
  /** The current version loses its stage, because it is wrong or leaked. A good previous version stays the previous one. */
  | "replace";

export interface Placing {
  readonly kind: SecretKind;
  readonly way: Way;
  /** The new version. */
  readonly versionId: string;
  readonly current: string | undefined;
  /** The previous version that stays one; only for "replace". */
  readonly kept: string | undefined;
}

/**
 * The moves of stages. Secrets Manager makes each version that loses AWSCURRENT the previous one. So callback keys are
 * replaced by way of the kept version: at each moment, and if the command is killed after any of the moves, the kept
 * keys verify. Request keys go straight: an instance that looks in between would sign with old keys for minutes, and
 * nothing uses their previous version.
 */
export function movesFor({ kind, way, versionId, current, kept }: Placing): readonly StageMove[] {
  if (way !== "replace") return [{ stage: "current", from: current, to: versionId }];
  if (kind === "callback" && kept !== undefined) {
    return [
      { stage: "current", from: current, to: kept },
      { stage: "current", from: kept, to: versionId },
    ];
  }
  return [
    { stage: "current", from: current, to: versionId },
    { stage: "previous", from: current, ...(kept !== undefined && { to: kept }) },
  ];
}

/** Ends at the first stage that another command moved first: false. */
export async function moveStages(
  calls: SecretCalls,
  secretId: string,
  moves: readonly StageMove[],
): Promise<boolean> {
  for (const move of moves) {
    if (!(await moveStage(calls, secretId, move))) return false;
  }
  return true;
}

/**
 * True if the stage is now where it should be. False if another command moved it first. If a call fails, the secret
 * itself tells what happened: the SDK repeats a call whose answer was lost, and the repeat is refused.
 */
async function moveStage(calls: SecretCalls, secretId: string, move: StageMove): Promise<boolean> {
  try {
    await calls.move(secretId, move);
    return true;
  } catch (error) {
    const holder = (await calls.stagesOf(secretId))[move.stage];
    if (holder === move.to) return true;
    if (holder === move.from) throw error;
    return false;
  }
}

export function holdersText({ current, previous, pending }: StageHolders): string {
  const parts = [
    `current ${current ?? "none"}`,
    `previous ${previous ?? "none"}`,
    ...(pending === undefined ? [] : [`pending ${pending}`]),
  ];
  return `Versions now: ${parts.join(", ")}.`;
}

/** Running instances keep keys in memory, and no command reaches them. */
export function instancesText(target: "local" | "deployed"): string {
  const minutes = maximumAgeMilliseconds / 60_000;
  const atOnce =
    target === "local"
      ? "To end that at once, start npm start again."
      : "To end that at once, deploy a change of the functions, such as one of the config: it makes new instances.";
  return `Running instances use the keys they know for up to ${minutes} minutes more, and longer only while Secrets Manager cannot be reached. ${atOnce}`;
}
