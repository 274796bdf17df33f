import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { text as readText } from "node:stream/consumers";
import * as z from "zod";
import { parseJson } from "../../../shared/json/parse-json.ts";
import type { Guard } from "../permissions/guard.ts";
import { writeOwnFile } from "../write-own-file.ts";
import { AwsError, answerInJson, readInput } from "./aws-error.ts";
import { answerCalls, type Listening } from "./listen-on-loopback.ts";
import {
  addSecret,
  describeSecret,
  findSecret,
  listVersions,
  moveStage,
  namesOf,
  putVersion,
  type Secret,
  secretBy,
  secretSchema,
  selectVersion,
} from "./secret-versions.ts";

export interface SecretsManagerOptions {
  /** Decides who may call what. Default: everyone may. */
  readonly guard?: Guard | undefined;
  /** Default: any free port. */
  readonly port?: number | undefined;
  /** The file for the secrets. Default: in memory. */
  readonly dataFile?: string | undefined;
  /** The time in milliseconds. Default: this machine's clock. */
  readonly now?: (() => number) | undefined;
}

/** An endpoint with Secrets Manager's protocol: JSON, and a header that names the operation. */
export async function startSecretsManager({
  port,
  dataFile,
  now = Date.now,
  guard,
}: SecretsManagerOptions = {}): Promise<Listening> {
  const secrets = dataFile === undefined ? [] : load(dataFile);
  const run = (name: string, input: unknown) => {
    const answer = findOperation(name)(secrets, input, now());
    const isChange = !/^(Get|Describe|List)/.test(name);
    if (isChange && dataFile) writeOwnFile(dataFile, JSON.stringify(secrets, null, 2));
    return answer;
  };
  return await answerCalls(async (request) => {
    const name = String(request.headers["x-amz-target"]).replace(/^secretsmanager\./, "");
    const input = parseJson(await readText(request));
    const { authorization } = request.headers;
    return await answerInJson("secretsmanager", () => {
      guard?.check(authorization, () => ({
        service: "secretsmanager",
        operation: name,
        input: withArn(secrets, input),
      }));
      return run(name, input);
    });
  }, port);
}

const namedSecret = z.looseObject({ SecretId: z.string() });

/** Policies use the ARN of a secret. A call may name the secret differently. */
function withArn(secrets: readonly Secret[], input: unknown): unknown {
  const named = namedSecret.safeParse(input);
  if (!named.success) return input;
  const { SecretId } = named.data;
  return { ...named.data, SecretId: secretBy(secrets, SecretId)?.arn ?? SecretId };
}

function load(dataFile: string): Secret[] {
  if (!existsSync(dataFile)) return [];
  return z.array(secretSchema).parse(JSON.parse(readFileSync(dataFile, "utf8")));
}

type Operation<Input> = (secrets: Secret[], input: Input, nowMilliseconds: number) => object;

/** The operation checks its input. It throws an AwsError with the name that AWS uses. */
function findOperation(name: string): Operation<unknown> {
  const run = new Map(Object.entries(operations)).get(name);
  if (run !== undefined) return run;
  const message = `The local Secrets Manager has no operation ${name}.`;
  throw new AwsError("UnknownOperationException", message);
}

function taking<Input>(schema: z.ZodType<Input>, run: Operation<Input>): Operation<unknown> {
  return (secrets, input, now) =>
    run(secrets, readInput(schema, input, "InvalidParameterException"), now);
}

const secretId = z.string().min(1).max(2048);
const token = z
  .string()
  .min(32)
  .max(64)
  .default(() => randomUUID());
const secretString = z.string().min(1).max(65_536);
/** Keys are JSON text, so binary values are rejected. */
const noBinary = { SecretBinary: z.never().optional() };

const operations = {
  CreateSecret: taking(
    z.object({
      Name: z.string().regex(/^[A-Za-z0-9/_+=.@-]{1,512}$/, "must be a secret name"),
      Description: z.string().optional(),
      ClientRequestToken: token,
      SecretString: secretString.optional(),
      ...noBinary,
    }),
    (secrets, input, now) => {
      const { Name, Description, ClientRequestToken, SecretString } = input;
      const secret = addSecret(secrets, Name, Description, now);
      if (SecretString === undefined) return namesOf(secret);
      const { id } = putVersion(secret, ClientRequestToken, { SecretString }, [], now);
      return { ...namesOf(secret), VersionId: id };
    },
  ),
  GetSecretValue: taking(
    z.object({
      SecretId: secretId,
      VersionId: z.string().optional(),
      VersionStage: z.string().optional(),
    }),
    (secrets, input) => {
      const secret = findSecret(secrets, input.SecretId);
      const version = selectVersion(secret, input.VersionId, input.VersionStage);
      const { id: VersionId, stages: VersionStages, createdSeconds: CreatedDate, value } = version;
      return { ...namesOf(secret), VersionId, VersionStages, CreatedDate, ...value };
    },
  ),
  PutSecretValue: taking(
    z.object({
      SecretId: secretId,
      ClientRequestToken: token,
      VersionStages: z.array(z.string().min(1).max(256)).min(1).max(20).default(["AWSCURRENT"]),
      SecretString: secretString,
      ...noBinary,
    }),
    (secrets, input, now) => {
      const secret = findSecret(secrets, input.SecretId);
      const { ClientRequestToken, SecretString, VersionStages: wanted } = input;
      const version = putVersion(secret, ClientRequestToken, { SecretString }, wanted, now);
      const { id: VersionId, stages: VersionStages } = version;
      return { ...namesOf(secret), VersionId, VersionStages };
    },
  ),
  DescribeSecret: taking(z.object({ SecretId: secretId }), (secrets, input) =>
    describeSecret(findSecret(secrets, input.SecretId)),
  ),
  UpdateSecretVersionStage: taking(
    z.object({
      SecretId: secretId,
      VersionStage: z.string().min(1).max(256),
      RemoveFromVersionId: z.string().optional(),
      MoveToVersionId: z.string().optional(),
    }),
    (secrets, input, now) => {
      const secret = findSecret(secrets, input.SecretId);
      const { VersionStage, RemoveFromVersionId, MoveToVersionId } = input;
      moveStage(secret, VersionStage, RemoveFromVersionId, MoveToVersionId, now);
      return namesOf(secret);
    },
  ),
  ListSecretVersionIds: taking(
    z.object({
      SecretId: secretId,
      IncludeDeprecated: z.boolean().default(false),
      MaxResults: z.int().min(1).max(100).default(100),
      NextToken: z.string().regex(/^\d+$/).default("0"),
    }),
    (secrets, { SecretId, IncludeDeprecated, MaxResults, NextToken }) =>
      listVersions(findSecret(secrets, SecretId), IncludeDeprecated, Number(NextToken), MaxResults),
  ),
  ListSecrets: taking(z.object({}), (secrets) => ({
    SecretList: secrets.map((secret) => {
      const { VersionIdsToStages: SecretVersionsToStages, ...entry } = describeSecret(secret);
      return { ...entry, SecretVersionsToStages };
    }),
  })),
};
