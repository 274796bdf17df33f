import { type Target, targetText } from "../../operations/target/target.ts";
import { printable } from "../../shared/terminal-text.ts";
import { type Command, exitCodes, exitCodesText } from "../frame/command.ts";
import { parseOptions } from "../frame/parse-options.ts";
import { print, targetHelp, targetOptions, withTarget } from "../frame/target-command.ts";

/** `npx paycast env`: lets any AWS tool talk to the stack. */
export const env: Command = {
  help: `Usage: npx paycast env [--stack NAME] [--json]
       eval "$(npx paycast env)"

Prints exports for a shell, after a comment that names the stack: the names of its queues, tables and secrets, and for the local stack also the
endpoints, region and credentials with which any AWS tool reaches it.

Options
${targetHelp}

Examples
  eval "$(npx paycast env)"
  aws sqs get-queue-attributes --queue-url "$INBOX_QUEUE_URL" --attribute-names All
  npx paycast env --stack Paycast

${exitCodesText}
`,
  run: async (args, terminal) => {
    const values = parseOptions(args, targetOptions);
    const { kind, name, variables } = await withTarget(values, async (target) => {
      return { kind: target.kind, name: targetText(target), variables: variablesOf(target) };
    });
    print(terminal, values, variables, () => {
      const lines = Object.entries(variables).map(
        ([name, value]) => `export ${name}='${value.replaceAll("'", `'\\''`)}'\n`,
      );
      // A profile of the shell would win over the credentials.
      const unset = kind === "local" ? "unset AWS_PROFILE AWS_SESSION_TOKEN\n" : "";
      return `# ${printable(name)}\n${unset}${lines.join("")}`;
    });
    return exitCodes.success;
  },
};

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
    ...Object.fromEntries(target.merchants.flatMap(secretVariables)),
  };
}

/** The emulators take any credentials. */
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

function secretVariables({ merchantId, callbackKeys, requestKeys }: Target["merchants"][number]) {
  const name = variableName(merchantId);
  return [
    [`CALLBACK_KEYS_${name}`, callbackKeys],
    ...(requestKeys === undefined ? [] : [[`REQUEST_KEYS_${name}`, requestKeys]]),
  ];
}

function variableName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, "_").toUpperCase();
}
