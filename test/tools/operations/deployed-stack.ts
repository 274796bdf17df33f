import { createServer, type ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, vi } from "vitest";
import { listenOnLoopback } from "../../../tools/local/aws/listen-on-loopback.ts";
import { localAccountId, localRegion } from "../../../tools/local/aws/local-account.ts";
import type { LocalDescription } from "../../../tools/operations/local-stack/local-description.ts";
import {
  type AwsRequest,
  answer,
  deniedMessage,
  passOn,
  readAwsRequest,
  refuse,
} from "./control-plane/aws-protocol.ts";
import { filteredLines, metricData } from "./control-plane/cloudwatch.ts";
import { functionsOf, inboxMapping, outputsOf } from "./control-plane/described-stack.ts";
import type { TestStackParts } from "./test-target.ts";
import type { OperatedTarget } from "./use-operator.ts";

/** What AWS tells of the stack. A test changes it; each test begins with a sound stack. */
export interface DeployedStack {
  stackStatus: string;
  outputs: Map<string, string>;
  /** What Lambda tells, by the function's name in AWS. */
  functions: Map<string, Record<string, unknown>>;
  mappings: Record<string, unknown>[];
  /** Of the account, and what receive-callback has of it. */
  concurrency: Record<string, number>;
  reserved: number | undefined;
  alarms: Record<string, unknown>[];
  /** In addition to what the emulator knows, by queue URL. */
  queueAttributes: Map<string, Record<string, string>>;
  /** Actions such as "sqs:GetQueueAttributes" that AWS denies. */
  denied: Set<string>;
  /** Says whether a policy lets the caller do this, where no emulator asks. Without it everybody may. */
  mayCall: ((call: OwnCall) => boolean) | undefined;
  /** Actions that never get an answer. */
  silent: Set<string>;
  /** What CloudWatch has counted in the last minute, by the name of the metric. */
  metrics: Map<string, number>;
  /** What CloudFormation tells of deployments, newest first. */
  events: Record<string, unknown>[];
  /** Messages in the log group for audit lines, parsed. */
  audit: Record<string, unknown>[];
  /** The lines in the log groups of the functions; `service` says in which one. */
  logLines: string[];
  /** Every action that was asked for, in order. */
  calls: string[];
}

/** A call to a service that has no emulator. */
interface OwnCall {
  /** The access key. */
  readonly caller: string;
  readonly action: string;
  readonly resource: string;
}

export const stackName = "Paycast";

/**
 * Makes a local stack look like a deployed one: the SDK finds this endpoint, credentials and a region in the
 * environment. It stands in for what has no emulator, and passes SQS, DynamoDB and Secrets Manager on to theirs.
 */
export function useDeployedStack(operated: Pick<OperatedTarget, "parts">): () => DeployedStack {
  let stack: DeployedStack;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const { description } = operated.parts();
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
    stack = soundStack(operated.parts());
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await stop();
  });
  return () => stack;
}

function soundStack({ description, principals }: TestStackParts): DeployedStack {
  return {
    stackStatus: "UPDATE_COMPLETE",
    outputs: outputsOf(description),
    functions: functionsOf(description, principals),
    mappings: [inboxMapping(description)],
    concurrency: { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 980 },
    reserved: 20,
    alarms: [
      soundAlarm(`${stackName}-InboxDeadLetters`),
      soundAlarm(`${stackName}-InboxAge`),
      { ...soundAlarm("OfAnotherStack"), StateValue: "ALARM" },
    ],
    queueAttributes: new Map(),
    denied: new Set(),
    mayCall: undefined,
    silent: new Set(),
    metrics: new Map(),
    audit: [],
    events: [],
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
  if (own !== undefined && service !== "sts" && stack.mayCall?.(ownCall(read)) === false) {
    const message = deniedMessage(action, ownCall(read).resource);
    return refuse(read, response, { code: "AccessDenied", message });
  }
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
    case "cloudformation:DescribeStackEvents":
      return { StackEvents: stack.events };
    case "lambda:GetFunctionConfiguration":
      return stack.functions.get(String(input["FunctionName"])) ?? "unknown";
    case "lambda:GetAccountSettings":
      return { AccountLimit: stack.concurrency };
    case "lambda:GetFunctionConcurrency":
      return /ReceiveCallback/.test(String(input["FunctionName"]))
        ? { ReservedConcurrentExecutions: stack.reserved }
        : {};
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
      if (input["logGroupName"] === stack.outputs.get("AuditLogGroup")) {
        return { events: stack.audit.map((line) => ({ message: JSON.stringify(line) })) };
      }
      return filteredLines(input, stack.logLines);
    case "logs:PutLogEvents":
      stack.audit.push(...readLogEvents(input["logEvents"]));
      return {};
    default:
      return undefined;
  }
}

const isOfFunction = /^lambda:GetFunction(Configuration|Concurrency)$/;

function ownCall({ action, input, request }: AwsRequest): OwnCall {
  const caller = /Credential=([^/]+)\//.exec(request.headers.authorization ?? "")?.[1] ?? "";
  const [service = ""] = action.split(":");
  const arn = (resource: string) =>
    `arn:aws:${service}:${localRegion}:${localAccountId}:${resource}`;
  if (service === "cloudformation")
    return { caller, action, resource: arn(`stack/${stackName}/1f2e`) };
  if (input["FunctionName"] !== undefined && isOfFunction.test(action)) {
    return { caller, action, resource: arn(`function:${input["FunctionName"]}`) };
  }
  const log = input["logGroupName"];
  const resource = log === undefined ? "*" : arn(`log-group:${log}:log-stream:any`);
  return { caller, action, resource };
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

/** An emulator's answer with what a test changed. */
function completed({ action, input }: AwsRequest, text: string, stack: DeployedStack): string {
  if (action !== "sqs:GetQueueAttributes") return text;
  const changed = stack.queueAttributes.get(String(input["QueueUrl"]));
  return JSON.stringify({ Attributes: { ...JSON.parse(text).Attributes, ...changed } });
}
