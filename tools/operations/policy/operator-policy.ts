import { byTimeIndex } from "../../../shared/records/time-bucket.ts";
import { smokeName } from "../../../shared/smoke-merchant.ts";
import type { Target } from "../ports/target.ts";
import { type PolicyDocument, type Statement, splitPolicy } from "./policy-document.ts";
import { keysOfSecrets, readStackArns, type StackArns } from "./stack-arns.ts";

/** Each level adds permissions to the one before, and is for fewer people. */
export const policyNames = ["look", "act", "keys"] as const;
export type PolicyName = (typeof policyNames)[number];

const statementsOf: Record<PolicyName, (arns: StackArns) => readonly Statement[]> = {
  look,
  act,
  keys,
};

/** What the people of this policy may do with the stack, in as many documents as IAM's limit makes necessary. */
export async function operatorPolicy(
  target: Pick<Target, "stack" | "orders" | "records" | "queues" | "keys" | "functions">,
  name: PolicyName,
): Promise<readonly PolicyDocument[]> {
  const arns = await readStackArns(target);
  if (name !== "keys") return policyFor(arns, name);
  return policyFor({ ...arns, kmsKeys: await keysOfSecrets(target, arns) }, name);
}

export function policyFor(arns: StackArns, name: PolicyName): readonly PolicyDocument[] {
  return splitPolicy(statementsOf[name](arns).filter(({ Resource }) => Resource.length > 0));
}

function allow(
  Sid: string,
  Action: readonly string[],
  Resource: readonly string[],
  Condition?: Statement["Condition"],
): Statement {
  return { Sid, Effect: "Allow", Action, Resource, ...(Condition && { Condition }) };
}

function look(arns: StackArns): readonly Statement[] {
  const { stack, functions, tables, logs, auditLog, stampKey, secrets } = arns;
  return [
    allow(
      "FindTheStack",
      ["cloudformation:DescribeStackEvents", "cloudformation:DescribeStacks"],
      [stack],
    ),
    allow("ReadTheFunctions", functionReads, functions),
    allow("ReadItems", itemReads, [tables.callbacks, tables.orders]),
    allow(
      "FindItems",
      ["dynamodb:Query"],
      [tables.callbacks, `${tables.callbacks}/index/*`, `${tables.orders}/index/*`],
    ),
    allow("ScanForReplay", ["dynamodb:Scan"], [`${tables.callbacks}/index/${byTimeIndex}`]),
    allow("CountMessages", ["sqs:GetQueueAttributes"], queuesOf(arns)),
    allow("LookAtMessages", messageReads, lookedAt(arns)),
    allow("LookAtMappingsAlarmsAndMetrics", accountReads, ["*"]),
    allow("ReadTheLogs", ["logs:FilterLogEvents", "logs:StartQuery"], logs),
    allow("SeeWhatWasChanged", ["logs:FilterLogEvents"], [auditLog]),
    allow("SeeWhetherTheStampKeyIsThere", ["secretsmanager:DescribeSecret"], [stampKey]),
    allow("SeeTheVersionsOfKeys", versionReads, secrets),
    useKeys(arns, ["kms:Decrypt"], ["sqs", "dynamodb"]),
  ];
}

const functionReads = ["lambda:GetFunctionConfiguration", "lambda:GetFunctionConcurrency"];

const itemReads = ["dynamodb:GetItem", "dynamodb:BatchGetItem"];

/** They return no value. The current version shows why callbacks are rejected. */
const versionReads = ["secretsmanager:DescribeSecret", "secretsmanager:ListSecretVersionIds"];

const messageReads = ["sqs:ReceiveMessage", "sqs:ChangeMessageVisibility"];

/** AWS knows no resource for most of these. */
const accountReads = [
  "lambda:GetAccountSettings",
  "lambda:ListEventSourceMappings",
  "cloudwatch:DescribeAlarms",
  "cloudwatch:GetDashboard",
  "cloudwatch:GetMetricData",
  "logs:DescribeLogGroups",
  "logs:GetQueryResults",
];

function queuesOf({ inbox, subscribers, captured, smoke }: StackArns): readonly string[] {
  const pairs = [inbox, ...subscribers].flatMap(({ queue, deadLetters }) => [queue, deadLetters]);
  return [...pairs, ...[captured, smoke?.queue].filter((arn) => arn !== undefined)];
}

/** The queues whose messages an operator may read. Reading a live queue would delay its consumer. */
function lookedAt({ inbox, subscribers, captured, smoke }: StackArns): readonly string[] {
  const letters = [inbox, ...subscribers].map(({ deadLetters }) => deadLetters);
  return [...letters, ...[captured, smoke?.queue].filter((arn) => arn !== undefined)];
}

function act(arns: StackArns) {
  const { inbox, subscribers, smoke, tables, auditLog } = arns;
  const deadLetters = [inbox, ...subscribers].map((queue) => queue.deadLetters);
  const smokeQueue = smoke === undefined ? [] : [smoke.queue];
  const ofSmoke = { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": `${smokeName}#*` } };
  return [
    allow("Send", ["sqs:SendMessage"], [inbox.queue, ...subscribers.map(({ queue }) => queue)]),
    allow("Delete", ["sqs:DeleteMessage"], [...deadLetters, ...smokeQueue]),
    allow("Dismiss", ["dynamodb:UpdateItem"], [tables.callbacks], {
      "ForAllValues:StringEquals": { "dynamodb:Attributes": dismissedAttributes },
    }),
    allow("AskAboutAnOrder", ["dynamodb:UpdateItem"], [tables.orders], {
      "ForAllValues:StringEquals": { "dynamodb:Attributes": dueAttributes },
      // Without it a response could contain the whole order.
      StringEqualsIfExists: { "dynamodb:ReturnValues": "NONE" },
    }),
    allow("KeysOfSmokeTests", ["secretsmanager:PutSecretValue"], smoke ? [smoke.callbackKeys] : []),
    allow(
      "CleanUpSmokeTests",
      ["dynamodb:DeleteItem"],
      smoke ? [tables.callbacks, tables.orders] : [],
      ofSmoke,
    ),
    allow("LeaveAuditLines", ["logs:CreateLogStream", "logs:PutLogEvents"], [auditLog]),
    useKeys(arns, writing, ["sqs", "dynamodb", ...(smoke ? ["secretsmanager"] : [])]),
  ];
}

/** A dismissal names these attributes of a record. Nobody can change its message or its event by this policy. */
const dismissedAttributes = [
  "callbackKey",
  "receipt",
  "attention",
  "attentionShard",
  "attentionSince",
  "pending",
  "dismissed",
  "dismissedAt",
  "expiresAt",
];

/** Asking about an order now names its key and its next check (calling/check-now.ts), and nothing else of it. */
const dueAttributes = ["aggregateKey", "dueAtMilliseconds", "dueShard"];

function keys(arns: StackArns): readonly Statement[] {
  const { secrets } = arns;
  return [
    allow("ReadAndChangeKeys", secretCalls, secrets),
    useKeys(arns, writing, ["secretsmanager"]),
  ];
}

const secretCalls = [
  "secretsmanager:DescribeSecret",
  "secretsmanager:GetSecretValue",
  "secretsmanager:ListSecretVersionIds",
  "secretsmanager:PutSecretValue",
  "secretsmanager:UpdateSecretVersionStage",
];

const writing = ["kms:Decrypt", "kms:GenerateDataKey"];

/** Only through these services: a direct call to KMS cannot decrypt anything. */
function useKeys(
  { kmsKeys, stack }: StackArns,
  actions: readonly string[],
  services: readonly string[],
): Statement {
  const region = stack.split(":")[3];
  const via = services.map((service) => `${service}.${region}.amazonaws.com`);
  return allow("UseTheCustomersKey", actions, kmsKeys, { StringEquals: { "kms:ViaService": via } });
}
