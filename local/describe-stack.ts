import * as z from "zod";
import { localRegion } from "./aws/emulator.ts";
import type { Emulators } from "./aws/start-emulators.ts";
import type { RunningStack } from "./stack/start-stack.ts";
import { StackError } from "./stack/template/template.ts";

/** The content of `.paycast/local.json`: all addresses and names, for people, scripts and other teams' code. */
export const descriptionSchema = z.object({
  api: z.string(),
  gateway: z.string(),
  aws: z.object({ sqs: z.string(), dynamodb: z.string(), secretsmanager: z.string() }),
  region: z.string(),
  queues: z.object({
    inbox: z.string(),
    inboxDeadLetters: z.string(),
    subscribers: z.record(z.string(), z.object({ url: z.string(), deadLetters: z.string() })),
  }),
  tables: z.object({ callbacks: z.string(), orders: z.string() }),
  merchants: z.array(
    z.object({ merchantId: z.string(), callbackKeys: z.string(), requestKeys: z.string() }),
  ),
  /** By their names in this project: what really runs, with which settings. */
  functions: z.record(
    z.string(),
    z.object({ name: z.string(), environment: z.record(z.string(), z.string()) }),
  ),
});
export type StackDescription = z.infer<typeof descriptionSchema>;

const subscribersSchema = z.array(z.object({ name: z.string(), queueUrl: z.string() }));

/** Most values come from the functions' environment, so that they are right for any resource names. */
export function describeStack(
  stack: RunningStack,
  emulators: Emulators,
  gateway: string,
  merchantIds: readonly string[],
): StackDescription {
  const { sqs, dynamodb, secretsmanager } = emulators;
  const subscribers = subscribersSchema.parse(JSON.parse(variable(stack, "SUBSCRIBERS")));
  return {
    api: stack.api,
    gateway,
    aws: { sqs, dynamodb, secretsmanager },
    region: localRegion,
    queues: {
      inbox: variable(stack, "INBOX_QUEUE_URL"),
      inboxDeadLetters: variable(stack, "INBOX_DEAD_LETTERS_URL"),
      subscribers: Object.fromEntries(
        subscribers.map(({ name, queueUrl }) => [name, withDeadLetters(stack, queueUrl)]),
      ),
    },
    tables: {
      callbacks: variable(stack, "CALLBACKS_TABLE"),
      orders: variable(stack, "ORDERS_TABLE"),
    },
    merchants: merchantIds.map((merchantId) => ({
      merchantId,
      callbackKeys: secretArn(stack, `CallbackKeys-${merchantId}`),
      requestKeys: secretArn(stack, `RequestKeys-${merchantId}`),
    })),
    functions: Object.fromEntries(
      stack.functions.map(({ definition: { label, name, environment } }) => [
        label,
        { name, environment },
      ]),
    ),
  };
}

function withDeadLetters(stack: RunningStack, url: string) {
  const queue = stack.queues.find((candidate) => candidate.url === url);
  const deadLetters = stack.queues.find(({ arn }) => arn === queue?.deadLettersArn);
  if (deadLetters !== undefined) return { url, deadLetters: deadLetters.url };
  throw new StackError(
    "local-stack-unknown",
    `The queue ${url} has no dead-letter queue in the stack.`,
  );
}

function variable(stack: RunningStack, name: string): string {
  for (const { definition } of stack.functions) {
    const value = definition.environment[name];
    if (value !== undefined) return value;
  }
  throw new StackError("local-stack-unknown", `No function of the stack has the variable ${name}.`);
}

function secretArn(stack: RunningStack, constructName: string): string {
  const found = stack.secrets.find(({ path }) => path.endsWith(`/${constructName}`));
  if (found !== undefined) return found.arn;
  throw new StackError("local-stack-unknown", `The stack has no secret ${constructName}.`);
}
