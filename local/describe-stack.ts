import * as z from "zod";
import type { LocalDescription } from "../operations/target/local-description.ts";
import { smokeName } from "../shared/smoke-merchant.ts";
import { localRegion } from "./aws/emulator.ts";
import type { Emulators } from "./aws/start-emulators.ts";
import type { RunningStack } from "./stack/start-stack.ts";
import { StackError } from "./stack/template/template.ts";

const subscribersSchema = z.array(z.object({ name: z.string(), queueUrl: z.string() }));
type Subscribers = z.infer<typeof subscribersSchema>;

interface Beside {
  /** The addresses of the payment service, of the console and of the demo shop. */
  readonly gateway: string;
  readonly console: string;
  readonly shop: string;
  readonly merchantIds: readonly string[];
}

/** Most values come from the functions' environment, so that they are right for any resource names. */
export function describeStack(
  stack: RunningStack,
  emulators: Emulators,
  { gateway, console, shop, merchantIds }: Beside,
): LocalDescription {
  const { sqs, dynamodb, secretsmanager } = emulators;
  const subscribers = subscribersSchema.parse(JSON.parse(variable(stack, "SUBSCRIBERS")));
  const real = subscribers.filter(({ name }) => name !== smokeName);
  const captured = findVariable(stack, "CAPTURED_QUEUE_URL");
  return {
    api: stack.api,
    gateway,
    console,
    shop,
    aws: { sqs, dynamodb, secretsmanager },
    region: localRegion,
    queues: {
      inbox: variable(stack, "INBOX_QUEUE_URL"),
      inboxDeadLetters: variable(stack, "INBOX_DEAD_LETTERS_URL"),
      subscribers: Object.fromEntries(
        real.map(({ name, queueUrl }) => [name, withDeadLetters(stack, queueUrl)]),
      ),
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
  stack: RunningStack,
  subscribers: Subscribers,
): Pick<LocalDescription, "smoke"> {
  const queue = subscribers.find(({ name }) => name === smokeName)?.queueUrl;
  if (queue === undefined) return {};
  const callbackKeys = secretArn(stack, `CallbackKeys-${smokeName}`);
  return { smoke: { merchantId: smokeName, queue, callbackKeys } };
}

/** The environments hold names and addresses. Keys are only in the secrets. */
function describeFunctions({ functions }: RunningStack): LocalDescription["functions"] {
  return Object.fromEntries(
    functions.map(({ definition: { label, name, environment } }) => [label, { name, environment }]),
  );
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
  const value = findVariable(stack, name);
  if (value !== undefined) return value;
  throw new StackError("local-stack-unknown", `No function of the stack has the variable ${name}.`);
}

function findVariable({ functions }: RunningStack, name: string): string | undefined {
  const values = functions.map(({ definition }) => definition.environment[name]);
  return values.find((value) => value !== undefined);
}

function secretArn(stack: RunningStack, constructName: string): string {
  const found = stack.secrets.find(({ path }) => path.endsWith(`/${constructName}`));
  if (found !== undefined) return found.arn;
  throw new StackError("local-stack-unknown", `The stack has no secret ${constructName}.`);
}
