import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  paginateListSecretVersionIds,
  ResourceNotFoundException,
  type SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import type { SecretVersion } from "../../../shared/keys/keys-in-secret.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import type { DescribedStages, HeldVersion, Keys, SecretState } from "../ports/keys.ts";

const labels = { current: "AWSCURRENT", previous: "AWSPREVIOUS", pending: "AWSPENDING" } as const;

/** The label of a revoked version ends with the time, so that each has its own, and people see since when. */
const revokedLabel = "PAYCAST-REVOKED-";

/** The calls to Secrets Manager that the operations on keys are made of. */
export function openSecrets(
  client: SecretsManagerClient,
  now: () => number,
): Omit<Keys, "stampKey" | "previousKeysMilliseconds"> {
  return {
    stateOf: (secretId) => readState(client, secretId),
    stagesOf: (secretId) => readStages(client, secretId),
    list: (secretId) => listVersions(client, secretId),
    read: (secretId, versionId) => readValue(client, secretId, versionId),
    putPending: async (SecretId, ClientRequestToken, SecretString) => {
      const VersionStages = [labels.pending];
      const input = { SecretId, ClientRequestToken, SecretString, VersionStages };
      await client.send(new PutSecretValueCommand(input));
    },
    putCurrent: async (SecretId, SecretString) => {
      await client.send(new PutSecretValueCommand({ SecretId, SecretString }));
    },
    move: async (SecretId, { stage, from, to }) => {
      const newMark = `${revokedLabel}${toRfc3339(now())}`;
      const VersionStage =
        stage === "revoked" ? ((await findMark(client, SecretId, from)) ?? newMark) : labels[stage];
      const ids = { RemoveFromVersionId: from, MoveToVersionId: to };
      await client.send(new UpdateSecretVersionStageCommand({ SecretId, VersionStage, ...ids }));
    },
  };
}

async function readState(client: SecretsManagerClient, SecretId: string): Promise<SecretState> {
  const secret = await client.send(new DescribeSecretCommand({ SecretId }));
  const { DeletedDate, VersionIdsToStages = {}, KmsKeyId = "" } = secret;
  return {
    deletedAtMilliseconds: DeletedDate?.getTime(),
    labels: Object.values(VersionIdsToStages).flat(),
    kmsKeyArn: KmsKeyId.includes(":key/") ? KmsKeyId : undefined,
  };
}

async function readStages(
  client: SecretsManagerClient,
  secretId: string,
): Promise<DescribedStages> {
  const { attached, changedAtMilliseconds } = await readLabels(client, secretId);
  const holder = (stage: keyof typeof labels) =>
    attached.find(({ label }) => label === labels[stage])?.versionId;
  return {
    current: holder("current"),
    previous: holder("previous"),
    pending: holder("pending"),
    revoked: marksIn(attached).map(({ versionId }) => versionId),
    changedAtMilliseconds,
  };
}

interface Label {
  readonly label: string;
  readonly versionId: string;
}

async function readLabels(client: SecretsManagerClient, SecretId: string) {
  const secret = await client.send(new DescribeSecretCommand({ SecretId }));
  const versions = Object.entries(secret.VersionIdsToStages ?? {});
  const attached = versions.flatMap(([versionId, stages]) =>
    stages.map((label): Label => ({ label, versionId })),
  );
  return { attached, changedAtMilliseconds: secret.LastChangedDate?.getTime() ?? 0 };
}

/** The marks of revoked versions, the oldest first. */
function marksIn(attached: readonly Label[]): Label[] {
  const marks = attached.filter(({ label }) => label.startsWith(revokedLabel));
  return marks.sort((left, right) => left.label.localeCompare(right.label));
}

/** The mark of this version; undefined if it has none. */
async function findMark(
  client: SecretsManagerClient,
  secretId: string,
  versionId: string | undefined,
): Promise<string | undefined> {
  if (versionId === undefined) return undefined;
  const { attached } = await readLabels(client, secretId);
  return marksIn(attached).find((mark) => mark.versionId === versionId)?.label;
}

/** All versions, newest first. Secrets Manager deletes those without a label at a time of its own. */
async function listVersions(
  client: SecretsManagerClient,
  SecretId: string,
): Promise<HeldVersion[]> {
  const query = { SecretId, IncludeDeprecated: true };
  const held: HeldVersion[] = [];
  for await (const { Versions = [] } of paginateListSecretVersionIds({ client }, query)) {
    for (const { VersionId: versionId = "", CreatedDate } of Versions) {
      held.push({ versionId, createdAtMilliseconds: CreatedDate?.getTime() ?? 0 });
    }
  }
  return held.sort((left, right) => right.createdAtMilliseconds - left.createdAtMilliseconds);
}

/** Undefined if the version has no value: it was deleted, or an AWS rotation function created it without one. */
async function readValue(
  client: SecretsManagerClient,
  SecretId: string,
  VersionId: string,
): Promise<SecretVersion | undefined> {
  try {
    const answer = await client.send(new GetSecretValueCommand({ SecretId, VersionId }));
    const createdAtMilliseconds = answer.CreatedDate?.getTime() ?? 0;
    return { versionId: VersionId, createdAtMilliseconds, text: answer.SecretString ?? "" };
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
