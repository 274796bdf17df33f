import { createHash } from "node:crypto";
import { CfnOutput } from "aws-cdk-lib";
import type { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import packageJson from "../package.json" with { type: "json" };
import {
  functionOutput,
  logGroupOutput,
  roleOutput,
  subscriberOutputs,
} from "../shared/output-names.ts";
import type { PaycastApi } from "./api/http-api.ts";
import type { KeySecrets } from "./encryption/key-secrets.ts";
import type { CallbackIntake } from "./flows/callback-intake.ts";
import { functionsIn } from "./lambda/paycast-function.ts";
import type { Inbox } from "./storage/inbox.ts";
import type { Subscribers } from "./storage/subscribers.ts";
import type { Records } from "./storage/tables.ts";

interface StackParts {
  callbackUrl: string;
  api: PaycastApi;
  inbox: Inbox;
  records: Records;
  keys: KeySecrets;
  subscribers: Subscribers;
  intake: CallbackIntake;
  auditLog: LogGroup;
}

type AddOutput = (name: string, value: string, description: string) => void;

/** Adds an output with exactly this name, wherever in an app the construct is: the operators' command reads it. */
export function addOutput(
  scope: Construct,
  name: string,
  value: string,
  description: string,
): void {
  new CfnOutput(scope, name, { value, description }).overrideLogicalId(name);
}

/** What people and scripts need to know about a deployed stack. A secret's ARN is also its `--secret-id`. */
export function addOutputs(scope: Construct, parts: StackParts): void {
  const { callbackUrl, api, inbox, records } = parts;
  const output: AddOutput = (name, value, description) =>
    addOutput(scope, name, value, description);
  output("CallbackUrl", callbackUrl, "Where the payment service sends its callbacks");
  output("ApiUrl", api.url, "Base address of the storefront API");
  output("ApiId", api.api.apiId, "The HTTP API, as API Gateway names it");
  output("ExecuteApiArn", api.executeArn, "For policies that allow calls to the storefront API");
  output("InboxQueueUrl", inbox.queue.queueUrl, "Callbacks that are stored and not yet processed");
  output("InboxQueueArn", inbox.queue.queueArn, "The same, as a redrive names it");
  output(
    "InboxDeadLettersUrl",
    inbox.deadLetters.queueUrl,
    "Messages of the inbox that need attention",
  );
  output("InboxDeadLettersArn", inbox.deadLetters.queueArn, "The same, as a redrive names it");
  output("CallbacksTable", records.callbacks.tableName, "Records of all callbacks");
  output("OrdersTable", records.orders.tableName, "Orders and payments");
  if (api.customDomain) {
    output("DomainTarget", api.customDomain.target, "Target of the domain's DNS record");
  }
  output("AccessLogGroup", api.accessLog.logGroupName, "One line for each request");
  output("AuditLogGroup", parts.auditLog.logGroupName, "What operators changed");
  output("Version", packageJson.version, "Version of Paycast");
  if (parts.intake.captured) {
    output(
      "CapturedQueueUrl",
      parts.intake.captured.queueUrl,
      "Rejected envelopes of the last day",
    );
  }
  outputKeys(output, parts.keys);
  outputQueues(output, parts.subscribers);
  outputFunctions(output, scope);
}

/** Lists all functions of the stack, so that a new one needs no line here. */
function outputFunctions(output: AddOutput, scope: Construct): void {
  for (const { name, lambda, role, logGroup } of functionsIn(scope)) {
    output(functionOutput(name), lambda.functionName, `The function ${name}`);
    output(logGroupOutput(name), logGroup.logGroupName, `The log of ${name}`);
    output(roleOutput(name), role.roleArn, `The role of ${name}`);
  }
}

function outputKeys(output: AddOutput, keys: KeySecrets): void {
  for (const { merchantId, callbackKeys, requestKeys } of keys.merchants) {
    const suffix = merchantSuffix(merchantId);
    output(`CallbackKeys${suffix}`, callbackKeys, `Secret for the callback keys of ${merchantId}`);
    output(`RequestKeys${suffix}`, requestKeys, `Secret for the request keys of ${merchantId}`);
  }
  output("StampKey", keys.stampKey.id, "Secret for the stamp key, which the stack creates itself");
  if (keys.smokeCallbackKeys === undefined) return;
  output("SmokeCallbackKeys", keys.smokeCallbackKeys, "Secret for the keys of smoke tests");
}

function outputQueues(output: AddOutput, subscribers: Subscribers): void {
  for (const { subscriber, queue, deadLetters } of subscribers.queues) {
    const names = subscriberOutputs(subscriber.name);
    output(names.queueUrl, queue.queueUrl, `Queue of ${subscriber.name}`);
    output(names.queueArn, queue.queueArn, "The same, as a redrive names it");
    output(names.deadLettersUrl, deadLetters.queueUrl, `Dead-letter queue of ${subscriber.name}`);
    output(names.deadLettersArn, deadLetters.queueArn, "The same, as a redrive names it");
  }
  if (subscribers.smokeQueue === undefined) return;
  output("SmokeQueueUrl", subscribers.smokeQueue.queueUrl, "Queue of smoke tests");
}

/** Output names may have only letters and digits. A hash separates ids that differ only in other characters. */
function merchantSuffix(merchantId: string): string {
  const plain = merchantId.replace(/[^A-Za-z0-9]/g, "");
  if (plain === merchantId) return plain;
  return plain + createHash("sha256").update(merchantId).digest("hex").slice(0, 6);
}
