import { DescribeSecretCommand } from "@aws-sdk/client-secrets-manager";
import { fewAtOnce } from "../few-at-once.ts";
import { readStack, required } from "../target/find-target.ts";
import type { Target } from "../target/target.ts";

interface QueueArns {
  readonly queue: string;
  readonly deadLetters: string;
}

/** The ARNs of what a deployed stack consists of, as far as operators use it. */
export interface StackArns {
  readonly stack: string;
  readonly functions: readonly string[];
  readonly tables: { readonly callbacks: string; readonly orders: string };
  readonly inbox: QueueArns;
  readonly subscribers: readonly QueueArns[];
  readonly captured: string | undefined;
  readonly smoke: { readonly queue: string; readonly callbackKeys: string } | undefined;
  /** The logs of the functions and of the API. */
  readonly logs: readonly string[];
  readonly auditLog: string;
  /** The merchants' secrets. */
  readonly secrets: readonly string[];
  readonly stampKey: string;
  /** The customer's own KMS key that the stack encrypts with, if there is one. */
  readonly kmsKeys: readonly string[];
}

type ArnOf = (service: string, resource: string) => string;

/** Throws `target-incomplete` if the stack does not name its logs. */
export async function readStackArns(target: Target): Promise<StackArns> {
  const { name, functions, tables, subscribers, merchants, smoke, capturedUrl } = target;
  const { outputs, stackId } = await readStack(target.clients, name);
  // The stack's ARN has the partition, region and account of all others.
  const [, partition, , region, accountId] = stackId.split(":");
  const arnOf: ArnOf = (service, resource) =>
    ["arn", partition, service, region, accountId, resource].join(":");
  const queueArn = (url: string) => arnOf("sqs", url.split("/").at(-1) ?? "");
  const pair = (url: string, deadLettersUrl: string) => {
    return { queue: queueArn(url), deadLetters: queueArn(deadLettersUrl) };
  };
  const logNames = functions.flatMap(({ logGroup }) => logGroup ?? []);
  const secrets = merchants.flatMap(({ callbackKeys, requestKeys }) => [
    callbackKeys,
    ...(requestKeys === undefined ? [] : [requestKeys]),
  ]);
  return {
    // A stack that is made again has another id behind its name.
    stack: arnOf("cloudformation", `stack/${name}/*`),
    functions: functions.map((targetFunction) =>
      arnOf("lambda", `function:${targetFunction.name}`),
    ),
    tables: {
      callbacks: arnOf("dynamodb", `table/${tables.callbacks}`),
      orders: arnOf("dynamodb", `table/${tables.orders}`),
    },
    inbox: pair(target.inbox.url, target.inbox.deadLettersUrl),
    subscribers: subscribers.map((subscriber) =>
      pair(subscriber.queueUrl, subscriber.deadLettersUrl),
    ),
    captured: capturedUrl && queueArn(capturedUrl),
    smoke: smoke && { queue: queueArn(smoke.queueUrl), callbackKeys: smoke.callbackKeys },
    logs: [...logNames, required(outputs, "AccessLogGroup")].map((log) => logArn(arnOf, log)),
    auditLog: logArn(arnOf, required(outputs, "AuditLogGroup")),
    secrets,
    stampKey: target.stampKey,
    kmsKeys: target.encryptionKeyArn === undefined ? [] : [target.encryptionKeyArn],
  };
}

function logArn(arnOf: ArnOf, logGroup: string): string {
  return arnOf("logs", `log-group:${logGroup}:*`);
}

/** The customer's KMS keys of the secrets. The key that AWS manages needs no permission. */
export async function keysOfSecrets(
  { clients }: Target,
  { secrets }: StackArns,
): Promise<string[]> {
  const found = await fewAtOnce(secrets, async (SecretId) => {
    const { KmsKeyId } = await clients.secretsManager.send(new DescribeSecretCommand({ SecretId }));
    return KmsKeyId ?? "";
  });
  return [...new Set(found.filter((key) => key.includes(":key/")))];
}
