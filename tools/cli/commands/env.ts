import * as z from "zod";
import { describeLook } from "../../operations/described/describe.ts";
import { type Target, targetText } from "../../operations/target/target.ts";
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
    const unset = target.kind === "local" ? ["unset AWS_PROFILE AWS_SESSION_TOKEN"] : [];
    return { lines: [`# ${targetText(target)}`, ...unset, ...exports], data, isGood: true };
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

function variablesOf(target: Target): Record<string, string> {
  const { api, inbox, tables, region } = target;
  return {
    ...(target.kind === "local" && localVariables(target)),
    AWS_REGION: region,
    // Older SDKs and the AWS command read this one.
    AWS_DEFAULT_REGION: region,
    PAYCAST_API: api,
    INBOX_QUEUE_URL: inbox.url,
    INBOX_DEAD_LETTERS_URL: inbox.deadLettersUrl,
    CALLBACKS_TABLE: tables.callbacks,
    ORDERS_TABLE: tables.orders,
    ...Object.fromEntries(target.subscribers.flatMap(queueVariables)),
    ...Object.fromEntries(unambiguous(target.merchants.flatMap(secretVariables))),
  };
}

type Variable = readonly [name: string, value: string];

/** Without names that two merchants share, such as `shop-1` and `shop_1`: a key must not reach the other one's secret. */
function unambiguous(variables: readonly Variable[]): Variable[] {
  const names = variables.map(([name]) => name);
  return variables.filter(([name]) => names.indexOf(name) === names.lastIndexOf(name));
}

/** Any credentials that are not a function's are an administrator's. */
function localVariables({ endpoints }: Target): Record<string, string> {
  return {
    ...(endpoints && {
      AWS_ENDPOINT_URL_SQS: endpoints.sqs,
      AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsmanager,
    }),
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  };
}

function queueVariables({ name, queueUrl, deadLettersUrl }: Target["subscribers"][number]) {
  const prefix = `SUBSCRIBER_${variableName(name)}`;
  return [
    [`${prefix}_QUEUE_URL`, queueUrl],
    [`${prefix}_DEAD_LETTERS_URL`, deadLettersUrl],
  ];
}

function secretVariables({
  merchantId,
  callbackKeys,
  requestKeys,
}: Target["merchants"][number]): Variable[] {
  const name = variableName(merchantId);
  const callback: Variable = [`CALLBACK_KEYS_${name}`, callbackKeys];
  return requestKeys === undefined ? [callback] : [callback, [`REQUEST_KEYS_${name}`, requestKeys]];
}

function variableName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, "_").toUpperCase();
}
