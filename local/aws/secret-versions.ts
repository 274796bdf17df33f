import { randomBytes } from "node:crypto";
import * as z from "zod";
import { AwsError } from "./aws-error.ts";
import { localAccountId, localRegion } from "./local-account.ts";

export const secretSchema = z.object({
  name: z.string(),
  arn: z.string(),
  description: z.string().optional(),
  createdSeconds: z.number(),
  versions: z.array(
    z.object({
      id: z.string(),
      createdSeconds: z.number(),
      stages: z.array(z.string()),
      value: z.object({ SecretString: z.string() }),
    }),
  ),
});
export type Secret = z.infer<typeof secretSchema>;
type SecretVersion = Secret["versions"][number];
type SecretValue = SecretVersion["value"];

const current = "AWSCURRENT";
const previous = "AWSPREVIOUS";

/** Finds one version by stage or by id. If both are given, they must name the same version. */
export function selectVersion(
  secret: Secret,
  wanted: { versionId?: string | undefined; stage?: string | undefined },
): SecretVersion {
  const stage = wanted.stage ?? (wanted.versionId === undefined ? current : undefined);
  const found = secret.versions.find((version) =>
    wanted.versionId === undefined
      ? stage !== undefined && version.stages.includes(stage)
      : version.id === wanted.versionId,
  );
  if (found === undefined) throw valueNotFound(wanted.versionId, stage);
  if (stage !== undefined && !found.stages.includes(stage)) {
    throw new AwsError(
      "InvalidRequestException",
      "You provided a VersionStage that is not associated to the provided VersionId.",
    );
  }
  return found;
}

function valueNotFound(versionId: string | undefined, stage: string | undefined) {
  const which = versionId === undefined ? `staging label: ${stage}` : `VersionId: ${versionId}`;
  return new AwsError(
    "ResourceNotFoundException",
    `Secrets Manager can't find the specified secret value for ${which}`,
  );
}

/** Adds a version. The same token with the same value again changes nothing. */
export function putVersion(
  secret: Secret,
  version: { id: string; value: SecretValue; stages: readonly string[]; createdSeconds: number },
): SecretVersion {
  const existing = secret.versions.find(({ id }) => id === version.id);
  if (existing !== undefined) return assertSameValue(existing, version.value, secret.name);
  const added: SecretVersion = { ...version, stages: [] };
  const isFirst = secret.versions.length === 0;
  secret.versions.push(added);
  const stages = isFirst ? new Set([...version.stages, current]) : version.stages;
  for (const stage of stages) attachStage(secret, stage, added);
  return added;
}

function assertSameValue(existing: SecretVersion, value: SecretValue, name: string): SecretVersion {
  if (JSON.stringify(existing.value) === JSON.stringify(value)) return existing;
  throw new AwsError(
    "ResourceExistsException",
    `You can't use ClientRequestToken ${existing.id} because that value is already in use for a version of secret ${name}.`,
  );
}

/** Moves or removes a stage. Like AWS, it requires the id of the version that has the stage now. */
export function moveStage(
  secret: Secret,
  move: { stage: string; from?: string | undefined; to?: string | undefined },
): void {
  const holder = secret.versions.find(({ stages }) => stages.includes(move.stage));
  if (move.from !== undefined) selectVersion(secret, { versionId: move.from });
  const target = move.to === undefined ? undefined : selectVersion(secret, { versionId: move.to });
  if (holder?.id !== move.from && holder !== target) throw wrongOrigin(move.stage, holder);
  if (target !== undefined) attachStage(secret, move.stage, target);
  else if (move.stage === current) {
    const rule = `You can only move staging label ${current} to a different secret version.`;
    throw new AwsError("InvalidParameterException", `${rule} It can't be completely removed.`);
  } else detachStage(secret, move.stage);
}

function attachStage(secret: Secret, stage: string, target: SecretVersion): void {
  if (target.stages.includes(stage)) return;
  const former = detachStage(secret, stage);
  target.stages.push(stage);
  // The version that was current becomes the previous one, because a rotation verifies with both.
  if (stage === current && former !== undefined) attachStage(secret, previous, former);
}

function detachStage(secret: Secret, stage: string): SecretVersion | undefined {
  const holder = secret.versions.find(({ stages }) => stages.includes(stage));
  if (holder !== undefined) holder.stages = holder.stages.filter((label) => label !== stage);
  return holder;
}

function wrongOrigin(stage: string, holder: SecretVersion | undefined): AwsError {
  const message =
    holder === undefined
      ? `Staging label ${stage} isn't attached to the version in RemoveFromVersionId.`
      : `The parameter RemoveFromVersionId can't be empty or another version. Staging label ${stage} is currently attached to version ${holder.id}, so you must explicitly reference that version in RemoveFromVersionId.`;
  return new AwsError("InvalidParameterException", message);
}

export interface SecretStore {
  readonly secrets: Secret[];
  nowSeconds(): number;
  /** Called after each change, before the answer. */
  changed(): void;
}

export function addSecret(
  store: SecretStore,
  name: string,
  description: string | undefined,
): Secret {
  if (store.secrets.some((secret) => secret.name === name)) {
    throw new AwsError(
      "ResourceExistsException",
      `The operation failed because the secret ${name} already exists.`,
    );
  }
  const suffix = randomBytes(3).toString("hex");
  const arn = `arn:aws:secretsmanager:${localRegion}:${localAccountId}:secret:${name}-${suffix}`;
  const secret = { name, arn, description, createdSeconds: store.nowSeconds(), versions: [] };
  store.secrets.push(secret);
  return secret;
}

/** Finds a secret by name, by ARN, or by the ARN without its random end (seven characters). */
export function findSecret(store: SecretStore, id: string): Secret {
  const found = store.secrets.find(
    ({ name, arn }) => id === name || id === arn || id === arn.slice(0, -7),
  );
  if (found !== undefined) return found;
  throw new AwsError(
    "ResourceNotFoundException",
    "Secrets Manager can't find the specified secret.",
  );
}

export function namesOf({ arn, name }: Secret) {
  return { ARN: arn, Name: name };
}

export function describeSecret(secret: Secret) {
  const staged = secret.versions.filter(({ stages }) => stages.length > 0);
  return {
    ...namesOf(secret),
    Description: secret.description,
    CreatedDate: secret.createdSeconds,
    LastChangedDate: secret.versions.at(-1)?.createdSeconds ?? secret.createdSeconds,
    VersionIdsToStages: Object.fromEntries(staged.map(({ id, stages }) => [id, stages])),
  };
}
