import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import type { SecretVersion } from "../../shared/keys/merchant-keys.ts";
import type { SecretKind } from "./inspect-keys.ts";

const stages = {
  current: "AWSCURRENT",
  previous: "AWSPREVIOUS",
  pending: "AWSPENDING",
} as const;
export type VersionStage = keyof typeof stages;

/** Which version has a stage now. */
export type StageHolders = Readonly<Partial<Record<VersionStage, string | undefined>>>;

/** Takes a stage from one version and, if `to` is given, attaches it to another. */
export interface StageMove {
  readonly stage: VersionStage;
  /** The version that must have the stage now; Secrets Manager refuses the move if it has not. */
  readonly from: string | undefined;
  readonly to?: string;
}

/** The calls to Secrets Manager that a change of keys is made of. */
export interface SecretCalls {
  readonly stagesOf: (secretId: string) => Promise<StageHolders>;
  readonly read: (secretId: string, versionId: string) => Promise<SecretVersion | undefined>;
  readonly putPending: (secretId: string, versionId: string, text: string) => Promise<void>;
  readonly move: (secretId: string, move: StageMove) => Promise<void>;
}

export function secretCalls(client: SecretsManagerClient): SecretCalls {
  return {
    stagesOf: async (SecretId) => {
      const { VersionIdsToStages = {} } = await client.send(
        new DescribeSecretCommand({ SecretId }),
      );
      return holdersOf(VersionIdsToStages);
    },
    read: (secretId, versionId) => readVersion(client, secretId, versionId),
    putPending: async (SecretId, ClientRequestToken, SecretString) => {
      const VersionStages = [stages.pending];
      const input = { SecretId, ClientRequestToken, SecretString, VersionStages };
      await client.send(new PutSecretValueCommand(input));
    },
    move: async (SecretId, { stage, from, to }) => {
      const ids = { RemoveFromVersionId: from, MoveToVersionId: to };
      const input = { SecretId, VersionStage: stages[stage], ...ids };
      await client.send(new UpdateSecretVersionStageCommand(input));
    },
  };
}

function holdersOf(stagesById: Readonly<Record<string, readonly string[]>>): StageHolders {
  const holder = (stage: string) =>
    Object.entries(stagesById).find(([, labels]) => labels.includes(stage))?.[0];
  const { current, previous, pending } = stages;
  return { current: holder(current), previous: holder(previous), pending: holder(pending) };
}

/** Undefined if the version has no value, which a rotation function of AWS can leave behind. */
async function readVersion(
  client: SecretsManagerClient,
  SecretId: string,
  VersionId: string,
): Promise<SecretVersion | undefined> {
  try {
    const answer = await client.send(new GetSecretValueCommand({ SecretId, VersionId }));
    return {
      versionId: VersionId,
      createdAtMilliseconds: answer.CreatedDate?.getTime() ?? 0,
      text: answer.SecretString ?? "",
    };
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

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
