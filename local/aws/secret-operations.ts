import { randomUUID } from "node:crypto";
import * as z from "zod";
import { AwsError, readInput } from "./aws-error.ts";
import {
  addSecret,
  describeSecret,
  findSecret,
  moveStage,
  namesOf,
  putVersion,
  type SecretStore,
  selectVersion,
} from "./secret-versions.ts";

const secretId = z.string().min(1).max(2048);
const token = z
  .string()
  .min(32)
  .max(64)
  .default(() => randomUUID());
const secretString = z.string().min(1).max(65_536);
/** Keys are JSON text, so binary values are refused. */
const noBinary = { SecretBinary: z.never().optional() };

const operations = {
  CreateSecret: changing(
    z.object({
      Name: z.string().regex(/^[A-Za-z0-9/_+=.@-]{1,512}$/, "must be a secret name"),
      Description: z.string().optional(),
      ClientRequestToken: token,
      SecretString: secretString.optional(),
      ...noBinary,
    }),
    (store, input) => {
      const secret = addSecret(store, input.Name, input.Description);
      const { SecretString } = input;
      if (SecretString === undefined) return namesOf(secret);
      const stages = ["AWSCURRENT"];
      const version = { id: input.ClientRequestToken, value: { SecretString }, stages };
      const { id } = putVersion(secret, { ...version, createdSeconds: store.nowSeconds() });
      return { ...namesOf(secret), VersionId: id };
    },
  ),
  GetSecretValue: reading(
    z.object({
      SecretId: secretId,
      VersionId: z.string().optional(),
      VersionStage: z.string().optional(),
    }),
    (store, input) => {
      const secret = findSecret(store, input.SecretId);
      const version = selectVersion(secret, {
        versionId: input.VersionId,
        stage: input.VersionStage,
      });
      const { id: VersionId, stages: VersionStages, createdSeconds: CreatedDate, value } = version;
      return { ...namesOf(secret), VersionId, VersionStages, CreatedDate, ...value };
    },
  ),
  PutSecretValue: changing(
    z.object({
      SecretId: secretId,
      ClientRequestToken: token,
      VersionStages: z.array(z.string().min(1).max(256)).min(1).max(20).default(["AWSCURRENT"]),
      SecretString: secretString,
      ...noBinary,
    }),
    (store, input) => {
      const secret = findSecret(store, input.SecretId);
      const { id: VersionId, stages: VersionStages } = putVersion(secret, {
        id: input.ClientRequestToken,
        value: { SecretString: input.SecretString },
        stages: input.VersionStages,
        createdSeconds: store.nowSeconds(),
      });
      return { ...namesOf(secret), VersionId, VersionStages };
    },
  ),
  DescribeSecret: reading(z.object({ SecretId: secretId }), (store, input) =>
    describeSecret(findSecret(store, input.SecretId)),
  ),
  UpdateSecretVersionStage: changing(
    z.object({
      SecretId: secretId,
      VersionStage: z.string().min(1).max(256),
      RemoveFromVersionId: z.string().optional(),
      MoveToVersionId: z.string().optional(),
    }),
    (store, input) => {
      const secret = findSecret(store, input.SecretId);
      const { RemoveFromVersionId: from, MoveToVersionId: to } = input;
      moveStage(secret, { stage: input.VersionStage, from, to });
      return namesOf(secret);
    },
  ),
  ListSecrets: reading(z.object({}), (store) => ({
    SecretList: store.secrets.map((secret) => {
      const { VersionIdsToStages: SecretVersionsToStages, ...entry } = describeSecret(secret);
      return { ...entry, SecretVersionsToStages };
    }),
  })),
};

/** Runs one operation. Throws a AwsError with the name that AWS uses. */
export function runOperation(store: SecretStore, name: string, input: unknown): object {
  const run = new Map(Object.entries(operations)).get(name);
  if (run === undefined) {
    throw new AwsError(
      "UnknownOperationException",
      `The local Secrets Manager has no operation ${name}.`,
    );
  }
  return run(store, input);
}

type Operation<Input> = (store: SecretStore, input: Input) => object;

function reading<Input>(schema: z.ZodType<Input>, run: Operation<Input>): Operation<unknown> {
  return (store, input) => run(store, readInput(schema, input, "InvalidParameterException"));
}

function changing<Input>(schema: z.ZodType<Input>, run: Operation<Input>): Operation<unknown> {
  const checked = reading(schema, run);
  return (store, input) => {
    const answer = checked(store, input);
    store.changed();
    return answer;
  };
}
