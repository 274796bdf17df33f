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
import { PaycastError } from "../../../shared/paycast-error.ts";
import { findMerchant, type Target } from "../target/target.ts";
import {
  type Goal,
  isOnTheWay,
  type KnownStages,
  nextMove,
  type Stage,
  type StageMove,
  type Stages,
} from "./decide-stages.ts";
import { type Inspection, inspectKeys, type SecretKind, secretKinds } from "./inspect-keys.ts";

const labels: Readonly<Record<Stage, string>> = {
  current: "AWSCURRENT",
  previous: "AWSPREVIOUS",
  pending: "AWSPENDING",
};

export type SecretCalls = ReturnType<typeof secretCalls>;

/** The calls to Secrets Manager that a change of keys is made of. */
export function secretCalls(client: SecretsManagerClient) {
  return {
    stagesOf: async (SecretId: string): Promise<Stages> => {
      const described = await client.send(new DescribeSecretCommand({ SecretId }));
      const versions = Object.entries(described.VersionIdsToStages ?? {});
      const holder = (stage: Stage) =>
        versions.find(([, attached]) => attached.includes(labels[stage]))?.[0];
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
      const VersionStages = [labels.pending];
      const input = { SecretId, ClientRequestToken, SecretString, VersionStages };
      await client.send(new PutSecretValueCommand(input));
    },
    move: async (SecretId: string, { stage, from, to }: StageMove) => {
      const ids = { RemoveFromVersionId: from, MoveToVersionId: to };
      const input = { SecretId, VersionStage: labels[stage], ...ids };
      await client.send(new UpdateSecretVersionStageCommand(input));
    },
  };
}

/** One version of a secret that has a stage. */
export type StoredVersion = SecretVersion &
  Inspection & {
    /** Until when previous callback keys verify. The functions never use previous request keys. */
    readonly endsAt?: number;
    readonly isUsable: boolean;
  };

/** A secret of a merchant, with the versions that have a stage. */
export interface StoredKeys extends KnownStages {
  readonly kind: SecretKind;
  readonly merchantId: string;
  readonly secretId: string;
  readonly current?: StoredVersion | undefined;
  readonly previous?: StoredVersion | undefined;
  /** Undefined if the pending version is the current one. */
  readonly pending?: StoredVersion | undefined;
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
  { clients, previousKeysMilliseconds, now }: Target,
  secret: Pick<StoredKeys, "kind" | "merchantId" | "secretId">,
): Promise<StoredKeys> {
  const { kind, merchantId, secretId } = secret;
  const calls = secretCalls(clients.secretsManager);
  const stages = await calls.stagesOf(secretId);
  const read = async (versionId: string | undefined): Promise<StoredVersion | undefined> => {
    const version = versionId && (await calls.read(secretId, versionId));
    if (!version) return undefined;
    const inspected = inspectKeys(kind, merchantId, version.text);
    return { ...version, ...inspected, isUsable: inspected.keys !== undefined };
  };
  const [current, previous, pending] = await Promise.all([
    read(stages.current),
    read(stages.previous),
    read(stages.pending === stages.current ? undefined : stages.pending),
  ]);
  const known = { ...secret, stages, current, previous, pending };
  if (kind === "request" || !current || !previous) return known;
  const endsAt = current.createdAtMilliseconds + previousKeysMilliseconds;
  const isUsable = previous.isUsable && endsAt > now();
  return { ...known, previous: { ...previous, endsAt, isUsable } };
}

/** More moves than any change needs. */
const mostMoves = 8;

/**
 * Moves the stages until the goal is reached. Each move names the version that has the stage now, so Secrets Manager
 * refuses it if another command was faster; then, and after a call whose answer was lost, the secret itself tells what is
 * true.
 */
export async function reachGoal(
  calls: SecretCalls,
  { kind, secretId, stages: before }: StoredKeys,
  goal: Goal,
): Promise<"done" | "lost"> {
  for (let moves = 0; moves < mostMoves; moves += 1) {
    const now = await calls.stagesOf(secretId);
    const isLost = !isOnTheWay(now, before, goal, kind);
    const move = isLost ? leftPending(now, goal) : nextMove(now, goal, kind);
    if (move === undefined) return isLost ? "lost" : "done";
    const isOver = await tryMove(calls, secretId, move, now, goal);
    if (isOver) return isLost ? "lost" : "done";
  }
  throw new PaycastError("aws-refused", "The stages of the secret change all the time.");
}

/** The own version, which will not become current. */
function leftPending({ pending }: Stages, goal: Goal): StageMove | undefined {
  const isOwn = pending !== undefined && pending === goal.notPending && pending === goal.current;
  return isOwn ? { stage: "pending", from: pending } : undefined;
}

/** True if nothing more can be done: only a label is left then, which "keys check" names and the next change replaces. */
async function tryMove(
  calls: SecretCalls,
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
    if (after[move.stage] !== now[move.stage]) return false;
    if (move.stage === "pending" && move.from === goal.current) return true;
    throw error;
  }
}
