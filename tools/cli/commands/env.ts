import * as z from "zod";
import { describeLook } from "../../operations/described/describe.ts";
import { isAvailable } from "../../operations/ports/available.ts";
import type { StackSubscriber } from "../../operations/ports/queues.ts";
import { type LocalParts, type MerchantSecrets, stackText } from "../../operations/ports/stack.ts";
import type { Target } from "../../operations/ports/target.ts";
import { commandOf } from "../frame/described-command.ts";

const look = describeLook({
  summary:
    "For the local stack this includes endpoints, region and credentials, so that any AWS tool can reach it.",
  input: z.object({}),
  look: async (target) => {
    const data = variablesOf(target);
    const exports = Object.entries(data).map(
      ([name, value]) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`,
    );
    // A profile of the shell would win over the credentials.
    const unset = target.stack.kind === "local" ? ["unset AWS_PROFILE AWS_SESSION_TOKEN"] : [];
    return { lines: [`# ${stackText(target.stack)}`, ...unset, ...exports], data, isGood: true };
  },
});

/** `npx paycast env`: lets any AWS tool talk to the stack. */
export const env = commandOf({
  name: "env",
  about: [
    "Prints shell exports with the stack's queues, tables and secrets, after a comment that names the stack.",
  ],
  operations: [look],
  examples: ['eval "$(npx paycast env)"', "env --stack Paycast", "env > paycast.env"],
});

function variablesOf(
  target: Pick<Target, "stack" | "orders" | "records" | "queues">,
): Record<string, string> {
  const { stack, queues, orders, records } = target;
  const { api, region } = stack;
  return {
    ...(isAvailable(stack.local) && localVariables(stack.local)),
    AWS_REGION: region,
    // Older SDKs and the AWS command read this one.
    AWS_DEFAULT_REGION: region,
    PAYCAST_API: api,
    INBOX_QUEUE_URL: queues.inbox.url,
    INBOX_DEAD_LETTERS_URL: queues.inbox.deadLettersUrl,
    CALLBACKS_TABLE: records.table,
    ORDERS_TABLE: orders.table,
    ...Object.fromEntries(queues.subscribers.flatMap(queueVariables)),
    ...Object.fromEntries(unambiguous(stack.merchants.flatMap(secretVariables))),
  };
}

type Variable = readonly [name: string, value: string];

/** Without names that two merchants share, such as `shop-1` and `shop_1`: a key must not reach the other one's secret. */
function unambiguous(variables: readonly Variable[]): Variable[] {
  const names = variables.map(([name]) => name);
  return variables.filter(([name]) => names.indexOf(name) === names.lastIndexOf(name));
}

/** Any credentials that are not a function's are an administrator's. */
function localVariables({ endpoints }: LocalParts): Record<string, string> {
  return {
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsmanager,
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  };
}

function queueVariables({ name, queueUrl, deadLettersUrl }: StackSubscriber) {
  const prefix = `SUBSCRIBER_${variableName(name)}`;
  return [
    [`${prefix}_QUEUE_URL`, queueUrl],
    [`${prefix}_DEAD_LETTERS_URL`, deadLettersUrl],
  ];
}

function secretVariables({ merchantId, callbackKeys, requestKeys }: MerchantSecrets): Variable[] {
  const name = variableName(merchantId);
  const callback: Variable = [`CALLBACK_KEYS_${name}`, callbackKeys];
  return requestKeys === undefined ? [callback] : [callback, [`REQUEST_KEYS_${name}`, requestKeys]];
}

function variableName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, "_").toUpperCase();
}
