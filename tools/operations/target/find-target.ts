import { DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { GetFunctionConfigurationCommand } from "@aws-sdk/client-lambda";
import { locateSubscribers } from "../../../shared/delivery/subscriber.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { functionOutput, subscriberOutputs } from "../../../shared/output-names.ts";
import { smokeName } from "../../../shared/smoke-merchant.ts";
import { deployedAudit } from "../audit/write-audit.ts";
import { type AwsClients, deployedClients } from "./aws-clients.ts";
import { type FunctionSettings, findLocalTarget, readFunctionSettings } from "./local-target.ts";
import type { SmokeMerchant, Target, TargetFunction } from "./target.ts";

export interface TargetChoice {
  /** The name of a deployed stack; without it, the local stack. */
  readonly stack?: string | undefined;
  /** Where the local stack keeps its data. */
  readonly directory: string;
  /** Of a deployed stack that was found before, to reach it over the same connections. */
  readonly clients?: AwsClients | undefined;
}

/** Throws `target-not-found` with a message that says what to do. */
export async function findTarget({ stack, directory, clients }: TargetChoice): Promise<Target> {
  return stack === undefined
    ? await findLocalTarget(directory)
    : await findDeployedTarget(stack, clients);
}

type Outputs = ReadonlyMap<string, string>;

const functionLabels = [
  "receive-callback",
  "process-callback",
  "count-attention",
  "create-order",
  "query-order",
  "reconcile-orders",
];

/**
 * A stack in the account and region of the operator's credentials. Throws `target-not-found` or `target-incomplete`.
 */
async function findDeployedTarget(stackName: string, known?: AwsClients): Promise<Target> {
  const clients = known ?? deployedClients();
  try {
    return await describeTarget(clients, stackName);
  } catch (error) {
    if (known === undefined) clients.destroy();
    throw error;
  }
}

async function describeTarget(clients: AwsClients, stackName: string): Promise<Target> {
  const { outputs, stackId } = await readStack(clients, stackName);
  const functions = await readFunctions(clients, outputs);
  const settings = readFunctionSettings(functions);
  return {
    kind: "deployed",
    name: stackName,
    now: Date.now,
    region: await clients.region(),
    // arn:aws:cloudformation:REGION:ACCOUNT:stack/NAME/ID
    accountId: stackId.split(":")[4],
    api: required(outputs, "ApiUrl"),
    callbackUrl: required(outputs, "CallbackUrl"),
    inbox: {
      url: required(outputs, "InboxQueueUrl"),
      deadLettersUrl: required(outputs, "InboxDeadLettersUrl"),
    },
    subscribers: subscribersOf(settings, outputs),
    tables: {
      callbacks: required(outputs, "CallbacksTable"),
      orders: required(outputs, "OrdersTable"),
    },
    merchants: merchantsOf(settings, outputs),
    stampKey: settings.STAMP_KEY,
    functions,
    gateway: settings.GATEWAY,
    previousKeysMilliseconds: settings.PREVIOUS_KEYS_SECONDS * 1000,
    capturedUrl: outputs.get("CapturedQueueUrl"),
    smoke: smokeOf(outputs),
    encryptionKeyArn: outputs.get("EncryptionKeyArn"),
    version: outputs.get("Version"),
    simulator: undefined,
    endpoints: undefined,
    alarmsFile: undefined,
    queueMetricsFile: undefined,
    functionLog: undefined,
    templateFile: undefined,
    auditLog: outputs.get("AuditLogGroup"),
    startedAt: undefined,
    clients,
    audit: deployedAudit(clients, outputs.get("AuditLogGroup")),
  };
}

/** Throws `target-not-found`. */
export async function readStack({ cloudFormation }: AwsClients, StackName: string) {
  const { Stacks = [] } = await cloudFormation
    .send(new DescribeStacksCommand({ StackName }))
    .catch((error: unknown) => {
      if (!isUnknownStack(error)) throw error;
      return { Stacks: [] };
    });
  const [stack] = Stacks;
  if (stack === undefined) {
    const message = `There is no stack ${StackName} in this account and region. Check --stack, AWS_PROFILE and AWS_REGION.`;
    throw new PaycastError("target-not-found", message);
  }
  const pairs = (stack.Outputs ?? []).map(
    ({ OutputKey = "", OutputValue = "" }) => [OutputKey, OutputValue] as const,
  );
  const outputs: Outputs = new Map(pairs);
  const parameters = (stack.Parameters ?? []).flatMap((parameter) => {
    const { ParameterKey = "", ParameterValue, ResolvedValue = ParameterValue } = parameter;
    // CloudFormation shows asterisks in place of a value that the template hides.
    return ResolvedValue === undefined || /^\*+$/.test(ResolvedValue)
      ? []
      : [[ParameterKey, ResolvedValue] as const];
  });
  return { outputs, parameters: new Map(parameters), stackId: stack.StackId ?? "" };
}

/** CloudFormation has no error of its own for it. */
function isUnknownStack(error: unknown): boolean {
  return error instanceof Error && /does not exist/.test(error.message);
}

async function readFunctions({ lambda }: AwsClients, outputs: Outputs): Promise<TargetFunction[]> {
  const named = functionLabels.flatMap((label) => {
    const name = outputs.get(functionOutput(label));
    return name === undefined ? [] : [{ label, name }];
  });
  return await Promise.all(
    named.map(async ({ label, name }) => {
      const command = new GetFunctionConfigurationCommand({ FunctionName: name });
      const { Environment, LoggingConfig, Role: role } = await lambda.send(command);
      const logGroup = LoggingConfig?.LogGroup;
      return { label, name, environment: Environment?.Variables ?? {}, role, logGroup };
    }),
  );
}

function subscribersOf({ SUBSCRIBERS }: FunctionSettings, outputs: Outputs) {
  const subscribers = locateSubscribers(SUBSCRIBERS, required(outputs, "InboxQueueUrl"));
  return subscribers
    .filter(({ queueUrl }) => queueUrl !== outputs.get("SmokeQueueUrl"))
    .map((subscriber) => ({
      ...subscriber,
      deadLettersUrl: required(outputs, subscriberOutputs(subscriber.name).deadLettersUrl),
    }));
}

function merchantsOf({ CALLBACK_KEYS, REQUEST_KEYS }: FunctionSettings, outputs: Outputs) {
  return Object.entries(CALLBACK_KEYS)
    .filter(([, secretId]) => secretId !== outputs.get("SmokeCallbackKeys"))
    .map(([merchantId, callbackKeys]) => {
      return { merchantId, callbackKeys, requestKeys: REQUEST_KEYS?.[merchantId] };
    });
}

function smokeOf(outputs: Outputs): SmokeMerchant | undefined {
  const queueUrl = outputs.get("SmokeQueueUrl");
  const callbackKeys = outputs.get("SmokeCallbackKeys");
  if (queueUrl === undefined || callbackKeys === undefined) return undefined;
  return { merchantId: smokeName, queueUrl, callbackKeys };
}

/** Throws `target-incomplete`. */
export function required(outputs: Outputs, name: string): string {
  const value = outputs.get(name);
  if (value !== undefined) return value;
  throw new PaycastError(
    "target-incomplete",
    `The stack has no output ${name}. It is not a Paycast stack, or another version is deployed.`,
  );
}
