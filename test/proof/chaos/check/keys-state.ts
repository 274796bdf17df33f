import type { Evidence, Statement } from "./evidence.ts";
import type { Rotation } from "./open-envelope.ts";

/**
 * What the keys that sealed a callback were when it arrived. `current` and `previous` must open it; `outdated` must not:
 * two rotations have passed, or eight days since the one. In between, an instance may have the older or the newer keys.
 */
export type KeysState = "current" | "previous" | "outdated" | "unclear";

/** For this long an instance uses its keys without a refresh. */
const keptMilliseconds = 5 * 60_000;
const previousMilliseconds = 8 * 24 * 3_600_000;

export function keysStateOf(statement: Statement, evidence: Evidence): KeysState {
  const { atMilliseconds, endedMilliseconds } = statement.post;
  const rotations = rotationsOf(evidence, statement);
  // Index 0 are the newest keys of the run: each rotation after the sealing made them one older.
  const since = rotations.slice(rotations.length - statement.opened.keysIndex);
  const begun = since.filter(({ fromMilliseconds }) => fromMilliseconds <= endedMilliseconds);
  const [first, second] = begun;
  if (first === undefined) return "current";
  const isOver = (milliseconds: number) =>
    atMilliseconds > first.untilMilliseconds + previousMilliseconds + milliseconds;
  if (isOver(keptMilliseconds)) return "outdated";
  if (second === undefined) return isOver(0) ? "unclear" : "previous";
  return atMilliseconds > second.untilMilliseconds + keptMilliseconds ? "outdated" : "unclear";
}

/** The rotations of the merchant's keys, the oldest first. */
export function rotationsOf({ rotations }: Evidence, { opened }: Statement): readonly Rotation[] {
  return rotations.filter(({ merchantId }) => merchantId === opened.merchantId);
}
