import { createServer, type ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, vi } from "vitest";
import { listenOnLoopback } from "../../../tools/local/aws/listen-on-loopback.ts";
import { localAccountId, localRegion } from "../../../tools/local/aws/local-account.ts";
import type { LocalDescription } from "../../../tools/operations/target/local-target.ts";
import {
  type AwsRequest,
  answer,
  deniedMessage,
  passOn,
  readAwsRequest,
  refuse,
} from "./control-plane/aws-protocol.ts";
import { filteredLines, metricData } from "./control-plane/cloudwatch.ts";
import {
  functionRole,
  functionsOf,
  inboxMapping,
  outputsOf,
} from "./control-plane/described-stack.ts";
import type { OperatedStack } from "./operated-stack.ts";

const denyPlainHttp = {
  Effect: "Deny",
  Principal: { AWS: "*" },
  Action: "sqs:*",
  Condition: { Bool: { "aws:SecureTransport": "false" } },
};
export const operatorRole = `arn:aws:iam::${localAccountId}:role/operators/*`;
const denyStrangers = {
  Effect: "Deny",
  Principal: { AWS: "*" },
  Action: "sqs:SendMessage",
  Condition: { ArnNotLike: { "aws:PrincipalArn": [functionRole, operatorRole] } },
};
const denyReaders = {
  Sid: "OnlyItsFunctionReads",
  Effect: "Deny",
  Principal: { AWS: "*" },
  Action: ["ChangeMessageVisibility", "DeleteMessage", "PurgeQueue", "ReceiveMessage"].map(
    (action) => `sqs:${action}`,
  ),
  Condition: { ArnNotLike: { "aws:PrincipalArn": [functionRole] } },
};
/** The policy of a queue that only its own account uses. Without the last statement it is sound for any queue but the inbox. */
export const soundPolicy = {
  Version: "2012-10-17",
  Statement: [denyPlainHttp, denyStrangers, denyReaders],
} as const;

/** What AWS tells of the stack. A test changes it; each test begins with a sound stack. */
export interface DeployedStack {
  stackStatus: string;
  outputs: Map<string, string>;
  /** What Lambda tells, by the function's name in AWS. */
  functions: Map<string, Record<string, unknown>>;
  mappings: Record<string, unknown>[];
  alarms: Record<string, unknown>[];
  /** In addition to what the emulator knows, by queue URL. */
  queueAttributes: Map<string, Record<string, string>>;
  /** Tables without point-in-time recovery, and without deletion protection. */
  unrestorable: Set<string>;
  unprotected: Set<string>;
  /** Actions such as "sqs:GetQueueAttributes" that AWS denies. */
  denied: Set<string>;
  /** Actions that never get an answer. */
  silent: Set<string>;
  /** What CloudWatch has counted in the last minute, by the name of the metric. */
  metrics: Map<string, number>;
  /** Messages in the log group for audit lines, parsed. */
  audit: Record<string, unknown>[];
  /** The lines in the log groups of the functions; `service` says in which one. */
  logLines: string[];
  /** Every action that was asked for, in order. */
  calls: string[];
}

export const stackName = "Paycast";

/**
 * Makes a local stack look like a deployed one: the SDK finds this endpoint, credentials and a region in the
 * environment. It stands in for what has no emulator, and passes SQS, DynamoDB and Secrets Manager on to theirs.
 */
export function useDeployedStack(operated: OperatedStack): () => DeployedStack {
  let stack: DeployedStack;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const { description } = operated.stack();
    const server = createServer((request, response) => {
      readAwsRequest(request)
        .then((read) => serve(read, response, stack, description))
        .catch(() => request.socket.destroy());
    });
    const listening = await listenOnLoopback(server);
    stop = listening.stop;
    vi.stubEnv("AWS_ENDPOINT_URL", listening.endpoint);
    vi.stubEnv("AWS_REGION", localRegion);
    vi.stubEnv("AWS_ACCESS_KEY_ID", "operator");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "operator");
  });
  beforeEach(() => {
    stack = soundStack(operated.stack().description);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await stop();
  });
  return () => stack;
}

function soundStack(description: LocalDescription): DeployedStack {
  return {
    stackStatus: "UPDATE_COMPLETE",
    outputs: outputsOf(description),
    functions: functionsOf(description),
    mappings: [inboxMapping(description)],
    alarms: [
      soundAlarm(`${stackName}-InboxDeadLetters`),
      soundAlarm(`${stackName}-InboxAge`),
      { ...soundAlarm("OfAnotherStack"), StateValue: "ALARM" },
    ],
    queueAttributes: new Map(),
    unrestorable: new Set(),
    unprotected: new Set(),
    denied: new Set(),
    silent: new Set(),
    metrics: new Map(),
    audit: [],
    logLines: [],
    calls: [],
  };
}

export function soundAlarm(AlarmName: string): Record<string, unknown> {
  const AlarmActions = [`arn:aws:sns:${localRegion}:${localAccountId}:on-call`];
  return { AlarmName, StateValue: "OK", ActionsEnabled: true, AlarmActions };
}

async function serve(
  read: AwsRequest,
  response: ServerResponse,
  stack: DeployedStack,
  { aws }: LocalDescription,
): Promise<void> {
  const { action } = read;
  stack.calls.push(action);
  if (stack.silent.has(action)) return;
  if (stack.denied.has(action)) {
    const message = deniedMessage(action, "*");
    return refuse(read, response, { code: "AccessDenied", message });
  }
  const [service = ""] = action.split(":");
  const own = ownAnswer(read, stack);
  if (own === "unknown") return refuse(read, response, unknownStack(read));
  if (own !== undefined) return answer(read, response, own);
  if (service !== "sqs" && service !== "dynamodb" && service !== "secretsmanager") {
    throw new Error(`${action} is not part of this double.`);
  }
  await passOn(read, response, aws[service], (text) => completed(read, text, stack));
}

/** The answer of a service that has no emulator; undefined if it has one. */
function ownAnswer(
  { action, input }: AwsRequest,
  stack: DeployedStack,
): object | "unknown" | undefined {
  switch (action) {
    case "cloudformation:DescribeStacks":
      if (input["StackName"] !== stackName) return "unknown";
      return { Stacks: [describedStack(stack)] };
    case "lambda:GetFunctionConfiguration":
      return stack.functions.get(String(input["FunctionName"])) ?? "unknown";
    case "lambda:ListEventSourceMappings":
      return { EventSourceMappings: stack.mappings };
    case "cloudwatch:DescribeAlarms":
      return { MetricAlarms: stack.alarms.filter((alarm) => isAsked(alarm, input)) };
    case "cloudwatch:GetMetricData":
      return metricData(input, stack);
    case "sts:GetCallerIdentity":
      return { Arn: `arn:aws:iam::${localAccountId}:user/operator`, Account: localAccountId };
    case "logs:CreateLogStream":
      return {};
    case "logs:FilterLogEvents":
      return filteredLines(input, stack.logLines);
    case "logs:PutLogEvents":
      stack.audit.push(...readLogEvents(input["logEvents"]));
      return {};
    case "dynamodb:DescribeContinuousBackups": {
      const isOff = stack.unrestorable.has(String(input["TableName"]));
      const PointInTimeRecoveryStatus = isOff ? "DISABLED" : "ENABLED";
      const PointInTimeRecoveryDescription = { PointInTimeRecoveryStatus };
      return { ContinuousBackupsDescription: { PointInTimeRecoveryDescription } };
    }
    default:
      return undefined;
  }
}

function isAsked(
  { AlarmName, StateValue }: Record<string, unknown>,
  input: AwsRequest["input"],
): boolean {
  const isInState = [undefined, StateValue].includes(input["StateValue"]);
  return isInState && String(AlarmName).startsWith(String(input["AlarmNamePrefix"] ?? ""));
}

function describedStack({ stackStatus, outputs }: DeployedStack) {
  const Outputs = [...outputs].map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
  const StackId = `arn:aws:cloudformation:${localRegion}:${localAccountId}:stack/${stackName}/1f2e`;
  return { StackId, StackName: stackName, StackStatus: stackStatus, Outputs };
}

// biome-ignore lint/suspicious/noExplicitAny: the SDK made it.
function readLogEvents(events: any): Record<string, unknown>[] {
  return events.map(({ message }: { message: string }) => JSON.parse(message));
}

function unknownStack({ input }: AwsRequest) {
  const message = `Stack with id ${input["StackName"] ?? input["FunctionName"]} does not exist`;
  return { code: "ValidationError", message };
}

/** An emulator's answer with what it does not keep: encryption, policies, protection. */
function completed({ action, input }: AwsRequest, text: string, stack: DeployedStack): string {
  const given = JSON.parse(text);
  if (action === "sqs:GetQueueAttributes") {
    const secure = { SqsManagedSseEnabled: "true", Policy: JSON.stringify(soundPolicy) };
    const own = stack.queueAttributes.get(String(input["QueueUrl"]));
    return JSON.stringify({ Attributes: { ...given.Attributes, ...secure, ...own } });
  }
  if (action !== "dynamodb:DescribeTable") return text;
  const DeletionProtectionEnabled = !stack.unprotected.has(String(input["TableName"]));
  return JSON.stringify({ Table: { ...given.Table, DeletionProtectionEnabled } });
}
