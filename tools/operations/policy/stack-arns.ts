import { fewAtOnce } from "../few-at-once.ts";
import { available, ifAvailable } from "../ports/available.ts";
import { requiredOutput } from "../ports/stack.ts";
import type { Target } from "../ports/target.ts";

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
export async function readStackArns(
  target: Pick<Target, "stack" | "orders" | "records" | "queues" | "keys" | "functions">,
): Promise<StackArns> {
  const { stack, functions, queues, keys } = target;
  const deployment = available(stack.deployment);
  const { outputs, stackId } = await deployment.describe();
  const captured = ifAvailable(queues.captured);
  const smoke = ifAvailable(stack.smoke);
  // The stack's ARN has the partition, region and account of all others.
  const [, partition, , region, accountId] = stackId.split(":");
  const arnOf: ArnOf = (service, resource) =>
    ["arn", partition, service, region, accountId, resource].join(":");
  const queueArn = (url: string) => arnOf("sqs", url.split("/").at(-1) ?? "");
  const pair = (url: string, deadLettersUrl: string) => {
    return { queue: queueArn(url), deadLetters: queueArn(deadLettersUrl) };
  };
  const logNames = functions.all.flatMap(({ logGroup }) => logGroup ?? []);
  const secrets = stack.merchants.flatMap(({ callbackKeys, requestKeys }) => [
    callbackKeys,
    ...(requestKeys === undefined ? [] : [requestKeys]),
  ]);
  return {
    // A stack that is made again has another id behind its name.
    stack: arnOf("cloudformation", `stack/${stack.name}/*`),
    functions: functions.all.map(({ name }) => arnOf("lambda", `function:${name}`)),
    tables: {
      callbacks: arnOf("dynamodb", `table/${target.records.table}`),
      orders: arnOf("dynamodb", `table/${target.orders.table}`),
    },
    inbox: pair(queues.inbox.url, queues.inbox.deadLettersUrl),
    subscribers: queues.subscribers.map((subscriber) =>
      pair(subscriber.queueUrl, subscriber.deadLettersUrl),
    ),
    captured: captured && queueArn(captured.url),
    smoke: smoke && { queue: queueArn(smoke.queueUrl), callbackKeys: smoke.callbackKeys },
    logs: [...logNames, requiredOutput(outputs, "AccessLogGroup")].map((log) => logArn(arnOf, log)),
    auditLog: logArn(arnOf, requiredOutput(outputs, "AuditLogGroup")),
    secrets,
    stampKey: keys.stampKey,
    kmsKeys: deployment.encryptionKeyArn === undefined ? [] : [deployment.encryptionKeyArn],
  };
}

function logArn(arnOf: ArnOf, logGroup: string): string {
  return arnOf("logs", `log-group:${logGroup}:*`);
}

/** The customer's KMS keys of the secrets. The key that AWS manages needs no permission. */
export async function keysOfSecrets(
  { keys }: Pick<Target, "keys">,
  { secrets }: StackArns,
): Promise<string[]> {
  const found = await fewAtOnce(secrets, keys.stateOf);
  return [...new Set(found.flatMap(({ kmsKeyArn }) => kmsKeyArn ?? []))];
}
