import type { HeldVersion, Stages } from "../ports/keys.ts";

/** What a decision needs to know of a version. */
export interface KnownVersion extends HeldVersion {
  /** The functions could use it: its keys are valid, and its time is not over. */
  readonly isUsable: boolean;
}

/** A secret as it is stored. */
export interface KnownStages {
  readonly stages: Stages;
  readonly current?: KnownVersion | undefined;
  readonly previous?: KnownVersion | undefined;
}

/**
 * A previous version that is newer than the current one is wrong: a restore or a replacement was stopped after it had
 * made the older version current again. Only its id restores it.
 */
export function isUndone({ current, previous }: Omit<KnownStages, "stages">): boolean {
  if (current === undefined || previous === undefined) return false;
  return previous.createdAtMilliseconds > current.createdAtMilliseconds;
}

export function isRevoked({ revoked = [] }: Stages, versionId: string | undefined): boolean {
  return versionId !== undefined && revoked.includes(versionId);
}
