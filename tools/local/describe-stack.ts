import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import {
  listedSubscriberSchema,
  locateSubscribers,
  type Subscriber,
} from "../../shared/delivery/subscriber.ts";
import { PaycastError } from "../../shared/errors/paycast-error.ts";
import { smokeName } from "../../shared/smoke-merchant.ts";
import {
  descriptionSchema,
  type LocalDescription,
} from "../operations/local-stack/local-description.ts";
import type { ServiceEndpoints } from "./aws/aws-clients.ts";
import { localRegion } from "./aws/local-account.ts";
import type { FunctionDefinition } from "./stack/functions/read-function.ts";
import type { RunningStack } from "./stack/start-stack.ts";
import { found } from "./stack/template/template.ts";
import { writeOwnFile } from "./write-own-file.ts";

const subscribersSchema = z.array(listedSubscriberSchema);

interface Beside {
  /** The addresses of the payment service, the console and the demo shop. */
  readonly gateway: string;
  readonly console: string;
  readonly shop: string;
  readonly merchantIds: readonly string[];
}

/** A function of the stack, as far as it is described. */
interface NamedFunction {
  readonly definition: Pick<FunctionDefinition, "label" | "name" | "environment">;
}

type DescribedStack = Pick<RunningStack, "api" | "queues" | "secrets"> & {
  readonly functions: readonly NamedFunction[];
};

/** Most values come from the functions' environment, so they are correct for any resource names. */
export function describeStack(
  stack: DescribedStack,
  emulators: ServiceEndpoints,
  { gateway, console, shop, merchantIds }: Beside,
): LocalDescription {
  const { sqs, dynamodb, secretsmanager } = emulators;
  const inbox = variable(stack, "INBOX_QUEUE_URL");
  const listed = subscribersSchema.parse(JSON.parse(variable(stack, "SUBSCRIBERS")));
  const subscribers = locateSubscribers(listed, inbox);
  const real = subscribers.filter(({ name }) => name !== smokeName);
  const captured = findVariable(stack, "CAPTURED_QUEUE_URL");
  return {
    api: stack.api,
    gateway,
    console,
    shop,
    aws: { sqs, dynamodb, secretsmanager },
    region: localRegion,
    aheadMilliseconds: 0,
    queues: {
      inbox,
      inboxDeadLetters: variable(stack, "INBOX_DEAD_LETTERS_URL"),
      subscribers: Object.fromEntries(
        real.map(({ name, queueUrl }) => [name, withDeadLetters(stack, queueUrl)]),
      ),
      readInLab: [],
      ...(captured !== undefined && { captured }),
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
    ...describeSmoke(stack, subscribers),
    functions: describeFunctions(stack),
  };
}

function describeSmoke(
  stack: DescribedStack,
  subscribers: readonly Subscriber[],
): Pick<LocalDescription, "smoke"> {
  const queue = subscribers.find(({ name }) => name === smokeName)?.queueUrl;
  if (queue === undefined) return {};
  const callbackKeys = secretArn(stack, `CallbackKeys-${smokeName}`);
  return { smoke: { merchantId: smokeName, queue, callbackKeys } };
}

/** The environments contain names and addresses. Keys are only in the secrets. */
function describeFunctions({ functions }: DescribedStack): LocalDescription["functions"] {
  return Object.fromEntries(
    functions.map(({ definition: { label, name, environment } }) => [label, { name, environment }]),
  );
}

function withDeadLetters(stack: DescribedStack, url: string) {
  const queue = stack.queues.find((candidate) => candidate.url === url);
  const deadLetters = stack.queues.find(({ arn }) => arn === queue?.deadLettersArn);
  return { url, deadLetters: known(deadLetters, `dead-letter queue of ${url}`).url };
}

function variable(stack: DescribedStack, name: string): string {
  return known(findVariable(stack, name), `function with the variable ${name}`);
}

function findVariable({ functions }: DescribedStack, name: string): string | undefined {
  const values = functions.map(({ definition }) => definition.environment[name]);
  return values.find((value) => value !== undefined);
}

function secretArn(stack: DescribedStack, constructName: string): string {
  const secret = stack.secrets.find(({ path }) => path.endsWith(`/${constructName}`));
  return known(secret, `secret ${constructName}`).arn;
}

function known<T>(value: T | undefined, what: string): T {
  return found(value, `The stack has no ${what}.`, "local-stack-unknown");
}

export function descriptionFile(directory: string): string {
  return join(directory, "local.json");
}

/** For scripts that wait for it. It contains the console's token. */
export function writeDescription(directory: string, description: LocalDescription): void {
  writeOwnFile(descriptionFile(directory), `${JSON.stringify(description, null, 2)}\n`);
}

/** Undefined if the file does not exist or cannot be read. */
function readDescription(directory: string): LocalDescription | undefined {
  const file = descriptionFile(directory);
  if (!existsSync(file)) return undefined;
  try {
    return descriptionSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

/** Two stacks in one folder would overwrite each other's keys and data. A stale file after a crash does not count. */
export async function refuseSecondStart(directory: string): Promise<void> {
  const description = readDescription(directory);
  if (description === undefined || !(await isServing(description.api))) return;
  throw new PaycastError(
    "local-already-running",
    `A local stack is already running in this folder, at ${description.api}. Stop it with Ctrl-C in its terminal.`,
  );
}

/**
 * Only the local API sends API Gateway's header. A response without it comes from another program. The timeout allows
 * for the start of a function, because a function handles unknown paths.
 */
async function isServing(api: string): Promise<boolean> {
  try {
    const response = await fetch(api, { signal: AbortSignal.timeout(10_000) });
    return response.headers.has("apigw-requestid");
  } catch {
    return false;
  }
}
