import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import type { SecretVersion } from "../../shared/keys/merchant-keys.ts";

const stages = {
  current: "AWSCURRENT",
  previous: "AWSPREVIOUS",
  pending: "AWSPENDING",
} as const;
export type VersionStage = keyof typeof stages;

/** Which version has a stage now. */
export type StageHolders = Readonly<Partial<Record<VersionStage, string>>>;

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
  const [current, previous, pending] = [
    holder(stages.current),
    holder(stages.previous),
    holder(stages.pending),
  ];
  return {
    ...(current !== undefined && { current }),
    ...(previous !== undefined && { previous }),
    ...(pending !== undefined && { pending }),
  };
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
