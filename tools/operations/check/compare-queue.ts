import * as z from "zod";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { shellWord } from "../../../shared/text/shell-word.ts";
import type { Target } from "../target/target.ts";
import { problem, type Verdict, warning } from "./finding.ts";
import type { DeclaredQueue, QueueAttributes } from "./queue-template.ts";

/** What SQS sets where the template says nothing. */
const defaults: QueueAttributes = {
  DelaySeconds: "0",
  MaximumMessageSize: "1048576",
  MessageRetentionPeriod: "345600",
  Policy: "",
  ReceiveMessageWaitTimeSeconds: "0",
  RedriveAllowPolicy: "",
  RedrivePolicy: "",
  VisibilityTimeout: "30",
};

const fifoDefaults: QueueAttributes = {
  ContentBasedDeduplication: "false",
  DeduplicationScope: "queue",
  FifoThroughputLimit: "perQueue",
};

/** SQS encrypts with the customer's KMS key or with its own. */
function encryptionDefaults({ attributes, unresolved }: DeclaredQueue): QueueAttributes {
  const hasKey = { ...attributes, ...unresolved }["KmsMasterKeyId"] !== undefined;
  return hasKey
    ? { KmsDataKeyReusePeriodSeconds: "300" }
    : { KmsMasterKeyId: "", SqsManagedSseEnabled: "true" };
}

/** Where a queue differs from the template, with the command that corrects it. */
export function queueFaults(
  target: Target,
  url: string,
  declared: DeclaredQueue,
  actual: QueueAttributes,
): readonly Verdict[] {
  const isFifo = declared.attributes["FifoQueue"] === "true";
  const expected = {
    ...defaults,
    ...(isFifo && fifoDefaults),
    ...encryptionDefaults(declared),
    ...declared.attributes,
  };
  const differing = Object.entries(expected).filter(
    ([name, value]) => !(name in declared.unresolved) && !isSame(value, actual[name] ?? ""),
  );
  const words = differing.map(([name, value]) => differenceText(name, value, actual[name] ?? ""));
  const corrected = Object.fromEntries(differing);
  const command = `set-queue-attributes --queue-url ${shellWord(url)} --attributes ${jsonWord(corrected)}`;
  return [
    ...(differing.length === 0 ? [] : [problem(words.join(" "), awsCommand(target, command))]),
    ...unknownFaults(declared),
  ];
}

/** The queue is gone, which CloudFormation does not notice. */
export function missingQueue(target: Target, declared: DeclaredQueue): readonly Verdict[] {
  const { name, attributes } = declared;
  const command = `create-queue --queue-name ${shellWord(name)} --attributes ${jsonWord(attributes)}`;
  const message =
    "The queue does not exist: it was deleted outside the stack. SQS accepts its name again after one minute.";
  return [problem(message, awsCommand(target, command)), ...unknownFaults(declared)];
}

function unknownFaults({ unresolved }: DeclaredQueue): readonly Verdict[] {
  return Object.entries(unresolved).map(([name, why]) =>
    warning(`${name} is not compared. ${why}`, "Compare it by hand, or run npx cdk drift."),
  );
}

function jsonWord(attributes: QueueAttributes): string {
  return shellWord(JSON.stringify(attributes));
}

/** The emulator takes any credentials. */
function awsCommand({ region, endpoints }: Target, command: string): string {
  const aws = `aws sqs ${command} --region ${shellWord(region)}`;
  if (endpoints === undefined) return aws;
  const credentials = "AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local";
  return `${credentials} ${aws} --endpoint-url ${shellWord(endpoints.sqs)}`;
}

function isSame(expected: string, actual: string): boolean {
  return canonicalText(expected) === canonicalText(actual);
}

/** Any queue may name this one as its dead-letter queue: what SQS does without the attribute. */
const openToAll = '{"redrivePermission":"allowAll"}';

/** The same text for what means the same: AWS writes JSON in its own way. */
function canonicalText(text: string): string {
  const value = text.startsWith("{") ? parseJson(text) : undefined;
  const canonical = value === undefined ? text : JSON.stringify(canonicalValue(value));
  return canonical === openToAll ? "" : canonical;
}

function canonicalValue(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => JSON.stringify(canonicalValue(item)));
    const sorted = [...new Set(items)].sort().map((item) => parseJson(item));
    return sorted.length === 1 ? sorted[0] : sorted;
  }
  if (typeof value !== "object" || value === null) return String(value);
  const entries = Object.entries(value).map(([key, item]) => {
    const isEverybody = key === "Principal" && item === "*";
    return [key, canonicalValue(isEverybody ? { AWS: "*" } : item)] as const;
  });
  return Object.fromEntries(entries.sort(([key], [other]) => (key < other ? -1 : 1)));
}

function differenceText(name: string, expected: string, actual: string): string {
  const changes = name === "Policy" ? statementTexts(expected, actual) : [];
  if (changes.length > 0) return changes.join(" ");
  const found = actual === "" ? "not set" : actual;
  return `${name} is ${found}; the template has ${expected === "" ? "none" : expected}.`;
}

const policySchema = z.object({
  Statement: z
    .union([z.array(z.unknown()), z.unknown().transform((statement) => [statement])])
    .transform((statements) =>
      statements.map((statement) => JSON.stringify(canonicalValue(statement))),
    ),
});

/** Which statements were added to the policy or removed from it. */
function statementTexts(expected: string, actual: string): readonly string[] {
  const statementsIn = (text: string) =>
    policySchema.safeParse(parseJson(text)).data?.Statement ?? [];
  const [wanted, found] = [statementsIn(expected), statementsIn(actual)];
  return [
    ...wanted
      .filter((statement) => !found.includes(statement))
      .map((statement) => `The policy lacks the statement ${statement}.`),
    ...found
      .filter((statement) => !wanted.includes(statement))
      .map((statement) => `The policy has a statement that is not in the template: ${statement}.`),
  ];
}
