/** The versions that have a stage of a secret. The functions find versions by their stage. */
export interface Stages {
  readonly current?: string | undefined;
  readonly previous?: string | undefined;
  /** A new version before it becomes current. */
  readonly pending?: string | undefined;
  /** The versions that an operator revoked, the first one first. Each has its own label, and is never used again. */
  readonly revoked?: readonly string[] | undefined;
}
type Stage = keyof Stages;

/** A version that Secrets Manager holds. */
export interface HeldVersion {
  readonly versionId: string;
  readonly createdAtMilliseconds: number;
}

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

/** Takes a stage from one version, attaches it to another, or both. */
export interface StageMove {
  readonly stage: Stage;
  /** The version that has the stage now. Secrets Manager rejects the move if it has not. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
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
