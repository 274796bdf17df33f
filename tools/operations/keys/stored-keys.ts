import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import * as z from "zod";
import type { SecretVersion } from "../../../shared/keys/keys-in-secret.ts";
import { findMerchant, type Target } from "../target/target.ts";
import { type Inspection, inspectKeys, type SecretKind, secretKinds } from "./inspect-keys.ts";

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

export type SecretCalls = ReturnType<typeof secretCalls>;

/** The calls to Secrets Manager that a change of keys is made of. */
export function secretCalls(client: SecretsManagerClient) {
  return {
    stagesOf: async (SecretId: string): Promise<StageHolders> => {
      const described = await client.send(new DescribeSecretCommand({ SecretId }));
      const labelled = Object.entries(described.VersionIdsToStages ?? {});
      const holder = (stage: VersionStage) =>
        labelled.find(([, labels]) => labels.includes(stages[stage]))?.[0];
      return {
        current: holder("current"),
        previous: holder("previous"),
        pending: holder("pending"),
      };
    },
    /** Undefined if the version has no value, which a rotation function of AWS can leave behind. */
    read: async (SecretId: string, VersionId: string): Promise<SecretVersion | undefined> => {
      try {
        const answer = await client.send(new GetSecretValueCommand({ SecretId, VersionId }));
        const createdAtMilliseconds = answer.CreatedDate?.getTime() ?? 0;
        return { versionId: VersionId, createdAtMilliseconds, text: answer.SecretString ?? "" };
      } catch (error) {
        if (error instanceof ResourceNotFoundException) return undefined;
        throw error;
      }
    },
    putPending: async (SecretId: string, ClientRequestToken: string, SecretString: string) => {
      const VersionStages = [stages.pending];
      const input = { SecretId, ClientRequestToken, SecretString, VersionStages };
      await client.send(new PutSecretValueCommand(input));
    },
    move: async (SecretId: string, { stage, from, to }: StageMove) => {
      const ids = { RemoveFromVersionId: from, MoveToVersionId: to };
      const input = { SecretId, VersionStage: stages[stage], ...ids };
      await client.send(new UpdateSecretVersionStageCommand(input));
    },
  };
}

/** One version of a secret that has a stage. */
export type StoredVersion = SecretVersion &
  Inspection & {
    /** Until when previous callback keys verify. The functions never use previous request keys. */
    readonly endsAt?: number;
  };

/** A secret of a merchant, with the versions that have a stage. */
export interface StoredKeys
  extends Readonly<Partial<Record<VersionStage, StoredVersion | undefined>>> {
  readonly kind: SecretKind;
  readonly merchantId: string;
  readonly secretId: string;
}

export const merchantField = z.string().min(1).max(100).meta({
  description: "the merchant's id",
  placeholder: "MERCHANT",
});

/** The secrets of these kinds that the stack has. No other secret is read: not everybody may read both. */
export async function readMerchantKeys(
  target: Target,
  merchantId: string,
  kinds: readonly SecretKind[] = secretKinds,
): Promise<StoredKeys[]> {
  const { callbackKeys, requestKeys } = findMerchant(target, merchantId);
  const ids = { callback: callbackKeys, request: requestKeys };
  const known = kinds.flatMap((kind) => {
    const secretId = ids[kind];
    return secretId === undefined ? [] : [{ kind, merchantId, secretId }];
  });
  return await Promise.all(known.map((secret) => readStoredKeys(target, secret)));
}

async function readStoredKeys(
  { clients, previousKeysMilliseconds }: Target,
  secret: Pick<StoredKeys, "kind" | "merchantId" | "secretId">,
): Promise<StoredKeys> {
  const { kind, merchantId, secretId } = secret;
  const calls = secretCalls(clients.secretsManager);
  const holders = await calls.stagesOf(secretId);
  const read = async (versionId: string | undefined): Promise<StoredVersion | undefined> => {
    const version = versionId && (await calls.read(secretId, versionId));
    return version ? { ...version, ...inspectKeys(kind, merchantId, version.text) } : undefined;
  };
  const [current, previous, pending] = await Promise.all([
    read(holders.current),
    read(holders.previous),
    // The first value of a secret keeps both stages until the command has removed one.
    read(holders.pending === holders.current ? undefined : holders.pending),
  ]);
  if (kind === "request" || !current || !previous) return { ...secret, current, previous, pending };
  const endsAt = current.createdAtMilliseconds + previousKeysMilliseconds;
  return { ...secret, current, previous: { ...previous, endsAt }, pending };
}
