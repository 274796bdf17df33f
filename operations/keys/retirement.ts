import type { Target } from "../target/target.ts";
import { previousEndsAt, type StoredKeys } from "./stored-keys.ts";
import type { VersionUse } from "./version-use.ts";

/**
 * Whether the previous callback keys are still needed.
 * - `over`: their time is over, and they verify no more.
 * - `in-use`: a callback was verified with them in the time that was looked at.
 * - `safe`: callbacks came in that time, and the current keys verified all of them.
 * - `unknown`: no callback came in that time.
 */
export type Retirement = "over" | "in-use" | "safe" | "unknown";

export interface RetirementEvidence {
  readonly target: Pick<Target, "previousKeysMilliseconds">;
  readonly use: VersionUse;
  readonly nowMilliseconds: number;
}

/** Undefined if there are no previous keys, or if they verify nothing anyway. */
export function retirementOf(
  keys: StoredKeys,
  { target, use, nowMilliseconds }: RetirementEvidence,
): Retirement | undefined {
  const endsAt = previousEndsAt(keys, target.previousKeysMilliseconds);
  const { current, previous } = keys;
  if (current === undefined || previous === undefined || endsAt === undefined) return undefined;
  if (endsAt <= nowMilliseconds) return "over";
  if (use.lastUsedAt.has(previous.versionId)) return "in-use";
  return use.lastUsedAt.has(current.versionId) ? "safe" : "unknown";
}

/** The same as a sentence for the operator. */
export function notesOf(
  retirement: Retirement | undefined,
  { use: { since } }: RetirementEvidence,
): string[] {
  switch (retirement) {
    case undefined:
      return [];
    case "over":
      return ["The previous callback keys verify no more: their time is over."];
    case "in-use":
      return ["The previous callback keys are still in use."];
    case "unknown":
      return [
        `No callback was recorded since ${since}: whether the service still uses the previous callback keys is not known.`,
      ];
    case "safe":
      return [
        `No callback that was recorded since ${since} was verified by the previous callback keys: they can go ("keys revoke --previous").`,
      ];
  }
}
