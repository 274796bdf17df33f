import { createServer, type ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, vi } from "vitest";
import { localAccountId, localRegion } from "../../local/aws/emulator.ts";
import { listenOnLoopback } from "../../local/aws/listen-on-loopback.ts";
import type { StackDescription } from "../../local/describe-stack.ts";
import { answer, deniedMessage, refuse } from "./control-plane/aws-answer.ts";
import { type AwsRequest, readAwsRequest } from "./control-plane/aws-request.ts";
import {
  functionsOf,
  inboxMapping,
  outputsOf,
  type SmokeFields,
} from "./control-plane/described-stack.ts";
import type { OperatedStack } from "./operated-stack.ts";

/** What AWS tells of the stack. A test changes it; each test begins with a sound stack. */
export interface DeployedStack {
  outputs: Map<string, string>;
  /** What Lambda tells, by the function's name in AWS. */
  functions: Map<string, Record<string, unknown>>;
  mappings: Record<string, unknown>[];
  alarms: Record<string, unknown>[];
  /** In addition to what the emulator knows, by queue URL. */
  queueAttributes: Map<string, Record<string, string>>;
  pointInTimeRecovery: "ENABLED" | "DISABLED";
  /** Actions such as "sqs:GetQueueAttributes" that AWS denies. */
  denied: Set<string>;
  /** Actions that never get an answer. */
  silent: Set<string>;
  /** Messages in the log group for audit lines, parsed. */
  audit: Record<string, unknown>[];
  /** Every action that was asked for, in order. */
  calls: string[];
}

export const stackName = "Paycast";

/**
 * Makes a local stack look like a deployed one: the SDK finds this endpoint, credentials and a region in the
 * environment. It stands in for what has no emulator, and passes SQS, DynamoDB and Secrets Manager on to theirs.
 */
export function useDeployedStack(
  operated: OperatedStack,
  smoke: () => SmokeFields | undefined = () => undefined,
): () => DeployedStack {
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
    stack = soundStack(operated.stack().description, smoke());
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await stop();
  });
  return () => stack;
}

function soundStack(description: StackDescription, smoke: SmokeFields | undefined): DeployedStack {
  return {
    outputs: outputsOf(description, smoke),
    functions: functionsOf(description),
    mappings: [inboxMapping(description)],
    alarms: [soundAlarm(`${stackName}-InboxDeadLetters`), soundAlarm(`${stackName}-InboxAge`)],
    queueAttributes: new Map(),
    pointInTimeRecovery: "ENABLED",
    denied: new Set(),
    silent: new Set(),
    audit: [],
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
  { aws }: StackDescription,
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
  await passOn(read, response, aws[service], stack);
}

/** The answer of a service that has no emulator; undefined if it has one. */
function ownAnswer(
  { action, input }: AwsRequest,
  stack: DeployedStack,
): object | "unknown" | undefined {
  switch (action) {
    case "cloudformation:DescribeStacks":
      if (input["StackName"] !== stackName) return "unknown";
      return { Stacks: [{ StackName: stackName, Outputs: outputMembers(stack) }] };
    case "lambda:GetFunctionConfiguration":
      return stack.functions.get(String(input["FunctionName"])) ?? "unknown";
    case "lambda:ListEventSourceMappings":
      return { EventSourceMappings: stack.mappings };
    case "cloudwatch:DescribeAlarms":
      return { MetricAlarms: stack.alarms, CompositeAlarms: [] };
    case "sts:GetCallerIdentity":
      return { Arn: `arn:aws:iam::${localAccountId}:user/operator`, Account: localAccountId };
    case "logs:CreateLogStream":
      return {};
    case "logs:PutLogEvents":
      stack.audit.push(...readLogEvents(input["logEvents"]));
      return {};
    case "dynamodb:DescribeContinuousBackups": {
      const { pointInTimeRecovery: PointInTimeRecoveryStatus } = stack;
      const PointInTimeRecoveryDescription = { PointInTimeRecoveryStatus };
      return { ContinuousBackupsDescription: { PointInTimeRecoveryDescription } };
    }
    default:
      return undefined;
  }
}

function outputMembers({ outputs }: DeployedStack) {
  return [...outputs].map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
}

// biome-ignore lint/suspicious/noExplicitAny: the SDK made it.
function readLogEvents(events: any): Record<string, unknown>[] {
  return events.map(({ message }: { message: string }) => JSON.parse(message));
}

function unknownStack({ input }: AwsRequest) {
  const message = `Stack with id ${input["StackName"] ?? input["FunctionName"]} does not exist`;
  return { code: "ValidationError", message };
}

/** Only what makes the emulator answer as it would answer this client directly. */
async function passOn(
  { action, input, request, body }: AwsRequest,
  response: ServerResponse,
  endpoint: string,
  { queueAttributes }: DeployedStack,
): Promise<void> {
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    /^(host|connection|content-length|expect)$/.test(name) ? [] : [[name, String(value)]],
  );
  const given = await fetch(endpoint, { method: "POST", headers, body: new Uint8Array(body) });
  const text = await given.text();
  const type = given.headers.get("content-type") ?? "application/x-amz-json-1.0";
  const errorType = given.headers.get("x-amzn-errortype");
  if (errorType !== null) response.setHeader("x-amzn-errortype", errorType);
  response.writeHead(given.status, { "content-type": type });
  const isQueue = action === "sqs:GetQueueAttributes" && given.ok;
  response.end(
    isQueue ? withAttributes(text, queueAttributes.get(String(input["QueueUrl"]))) : text,
  );
}

/** What the emulator does not keep: encryption and the policy, as the template sets them. */
function withAttributes(text: string, attributes: Record<string, string> | undefined): string {
  const { Attributes } = JSON.parse(text);
  const secure = { SqsManagedSseEnabled: "true", Policy: JSON.stringify(onlyTls) };
  return JSON.stringify({ Attributes: { ...Attributes, ...secure, ...attributes } });
}

const denyPlainHttp = {
  Effect: "Deny",
  Principal: { AWS: "*" },
  Action: "sqs:*",
  Condition: { Bool: { "aws:SecureTransport": "false" } },
};
export const onlyTls = { Version: "2012-10-17", Statement: [denyPlainHttp] };
