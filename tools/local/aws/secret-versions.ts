import { randomBytes } from "node:crypto";
import * as z from "zod";
import { AwsError } from "./aws-error.ts";
import { localAccountId, localRegion } from "./local-account.ts";

export const secretSchema = z.object({
  name: z.string(),
  arn: z.string(),
  description: z.string().optional(),
  createdSeconds: z.number(),
  /** The time of the last change. */
  changedSeconds: z.number(),
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

const current = "AWSCURRENT";
const previous = "AWSPREVIOUS";
/** All versions of a secret together. */
const mostStages = 20;

/** Finds one version by id or by stage. If both are given, they must name the same version. */
export function selectVersion(
  secret: Secret,
  versionId: string | undefined,
  stage: string | undefined,
): SecretVersion {
  if (versionId === undefined) {
    const label = stage ?? current;
    return existing(holderOf(secret, label), `staging label: ${label}`);
  }
  const byId = secret.versions.find(({ id }) => id === versionId);
  const found = existing(byId, `VersionId: ${versionId}`);
  if (stage === undefined || found.stages.includes(stage)) return found;
  const message = "You provided a VersionStage that is not associated to the provided VersionId.";
  throw new AwsError("InvalidRequestException", message);
}

function holderOf({ versions }: Secret, stage: string): SecretVersion | undefined {
  return versions.find(({ stages }) => stages.includes(stage));
}

function existing(version: SecretVersion | undefined, which: string): SecretVersion {
  if (version !== undefined) return version;
  const message = `Secrets Manager can't find the specified secret value for ${which}`;
  throw new AwsError("ResourceNotFoundException", message);
}

/** Adds a version; the first one is current. Repeating a token with the same value changes nothing. */
export function putVersion(
  secret: Secret,
  id: string,
  value: SecretVersion["value"],
  stages: readonly string[],
  nowMilliseconds: number,
): SecretVersion {
  const same = secret.versions.find((version) => version.id === id);
  if (same !== undefined && same.value.SecretString !== value.SecretString) {
    const message = `You can't use ClientRequestToken ${id} because that value is already in use for a version of secret ${secret.name}.`;
    throw new AwsError("ResourceExistsException", message);
  }
  if (same !== undefined) return same;
  const added: SecretVersion = { id, value, stages: [], createdSeconds: nowMilliseconds / 1_000 };
  secret.versions.push(added);
  secret.changedSeconds = nowMilliseconds / 1_000;
  const isFirst = secret.versions.length === 1;
  for (const stage of isFirst ? [current, ...stages] : stages) attachStage(secret, stage, added);
  return added;
}

/** Moves or removes a stage. Like AWS, it requires the id of the version that has the stage now. */
export function moveStage(
  secret: Secret,
  stage: string,
  from: string | undefined,
  to: string | undefined,
  nowMilliseconds: number,
): void {
  const holder = holderOf(secret, stage);
  if (from !== undefined) selectVersion(secret, from, undefined);
  const target = to === undefined ? undefined : selectVersion(secret, to, undefined);
  if (holder?.id !== from && holder !== target) throw wrongOrigin(stage, holder);
  if (target !== undefined) attachStage(secret, stage, target);
  else if (stage === current) {
    const rule = `You can only move staging label ${current} to a different secret version.`;
    throw new AwsError("InvalidParameterException", `${rule} It can't be completely removed.`);
  } else detachStage(secret, stage);
  secret.changedSeconds = nowMilliseconds / 1_000;
}

function attachStage(secret: Secret, stage: string, target: SecretVersion): void {
  if (target.stages.includes(stage)) return;
  const attached = secret.versions.flatMap(({ stages }) => stages);
  if (!attached.includes(stage) && attached.length >= mostStages) {
    const message = `A secret can have at most ${mostStages} staging labels.`;
    throw new AwsError("LimitExceededException", message);
  }
  const former = detachStage(secret, stage);
  target.stages.push(stage);
  // The current version becomes the previous one, because a rotation verifies with both.
  if (stage === current && former !== undefined) attachStage(secret, previous, former);
}

function detachStage(secret: Secret, stage: string): SecretVersion | undefined {
  const holder = holderOf(secret, stage);
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

export function addSecret(
  secrets: Secret[],
  name: string,
  description: string | undefined,
  nowMilliseconds: number,
): Secret {
  if (secrets.some((secret) => secret.name === name)) {
    const message = `The operation failed because the secret ${name} already exists.`;
    throw new AwsError("ResourceExistsException", message);
  }
  const suffix = randomBytes(3).toString("hex");
  const arn = `arn:aws:secretsmanager:${localRegion}:${localAccountId}:secret:${name}-${suffix}`;
  const [createdSeconds, changedSeconds] = [nowMilliseconds / 1_000, nowMilliseconds / 1_000];
  const secret = { name, arn, description, createdSeconds, changedSeconds, versions: [] };
  secrets.push(secret);
  return secret;
}

/** Finds a secret by its name, its ARN, or its ARN without the random end (seven characters). */
export function secretBy(secrets: readonly Secret[], id: string): Secret | undefined {
  return secrets.find(({ name, arn }) => [name, arn, arn.slice(0, -7)].includes(id));
}

/** The same. Throws `ResourceNotFoundException` if there is none. */
export function findSecret(secrets: readonly Secret[], id: string): Secret {
  const found = secretBy(secrets, id);
  if (found !== undefined) return found;
  const message = "Secrets Manager can't find the specified secret.";
  throw new AwsError("ResourceNotFoundException", message);
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
    LastChangedDate: secret.changedSeconds,
    VersionIdsToStages: Object.fromEntries(staged.map(({ id, stages }) => [id, stages])),
  };
}

/** One page of the versions, oldest first. Versions without a stage are listed only on request. */
export function listVersions(
  secret: Secret,
  isDeprecatedWanted: boolean,
  start: number,
  most: number,
) {
  const listed = secret.versions.filter(({ stages }) => isDeprecatedWanted || stages.length > 0);
  const page = listed.slice(start, start + most);
  return {
    ...namesOf(secret),
    Versions: page.map(({ id, stages, createdSeconds }) => {
      return { VersionId: id, VersionStages: stages, CreatedDate: createdSeconds };
    }),
    NextToken: start + most < listed.length ? String(start + most) : undefined,
  };
}
