import type { SecretVersion } from "../../../shared/keys/keys-in-secret.ts";

/** The versions that have a stage of a secret. The functions find versions by their stage. */
export interface Stages {
  readonly current?: string | undefined;
  readonly previous?: string | undefined;
  /** A new version before it becomes current. */
  readonly pending?: string | undefined;
  /** The versions that an operator revoked, the first one first. Each has its own label, and is never used again. */
  readonly revoked?: readonly string[] | undefined;
}

/** The stages of a secret, and when anything of it changed for the last time. */
export interface DescribedStages extends Stages {
  readonly revoked: readonly string[];
  readonly changedAtMilliseconds: number;
}

/** A version that Secrets Manager holds. */
export interface HeldVersion {
  readonly versionId: string;
  readonly createdAtMilliseconds: number;
}

/** Takes a stage from one version, attaches it to another, or both. */
export interface StageMove {
  readonly stage: keyof Stages;
  /** The version that has the stage now. Secrets Manager rejects the move if it has not. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** What Secrets Manager says of a secret without its value. */
export interface SecretState {
  /** When it will be removed for good, if somebody deleted it. */
  readonly deletedAtMilliseconds: number | undefined;
  /** The labels of its versions, such as AWSCURRENT. */
  readonly labels: readonly string[];
  /** The customer's KMS key. Undefined for the key that AWS manages. */
  readonly kmsKeyArn: string | undefined;
}

/** The secrets of the stack. */
export interface Keys {
  /** The id of the secret with the stamp key, which no operation reads. */
  readonly stampKey: string;
  /** How long the previous version of a merchant's keys verifies after a rotation. */
  readonly previousKeysMilliseconds: number;
  readonly stateOf: (secretId: string) => Promise<SecretState>;
  readonly stagesOf: (secretId: string) => Promise<DescribedStages>;
  /** All versions, newest first. Secrets Manager deletes those without a label at a time of its own. */
  readonly list: (secretId: string) => Promise<readonly HeldVersion[]>;
  /** Undefined if the version has no value: it was deleted, or an AWS rotation function created it without one. */
  readonly read: (secretId: string, versionId: string) => Promise<SecretVersion | undefined>;
  /** Stores a value that no function uses yet. */
  readonly putPending: (secretId: string, versionId: string, text: string) => Promise<void>;
  /** Stores a value as the current one. */
  readonly putCurrent: (secretId: string, text: string) => Promise<void>;
  readonly move: (secretId: string, move: StageMove) => Promise<void>;
}
