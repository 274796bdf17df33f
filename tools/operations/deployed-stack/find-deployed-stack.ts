import { locateSubscribers } from "../../../shared/delivery/subscriber.ts";
import { subscriberOutputs } from "../../../shared/output-names.ts";
import { smokeName } from "../../../shared/smoke-merchant.ts";
import { type AwsClients, deployedClients } from "../aws/aws-clients.ts";
import { openQueue } from "../aws/open-queue.ts";
import { openSecrets } from "../aws/open-secrets.ts";
import { openTables } from "../aws/open-tables.ts";
import { readDate } from "../aws/read-date.ts";
import { type FunctionSettings, readFunctionSettings } from "../aws/read-function-settings.ts";
import { noCapturing, noGateway, noSmoke } from "../aws/unavailable.ts";
import type { Unavailable } from "../ports/available.ts";
import type { StackFunction } from "../ports/functions.ts";
import type { Queues, StackSubscriber } from "../ports/queues.ts";
import {
  type MerchantSecrets,
  requiredOutput,
  type SmokeMerchant,
  type Stack,
  type StackOutputs,
} from "../ports/stack.ts";
import type { ConnectedTarget } from "../ports/target.ts";
import { deployedAudit } from "./deployed-audit.ts";
import { deployedLog } from "./deployed-log.ts";
import { deployedMetrics } from "./deployed-metrics.ts";
import { describeStack, readDeployments } from "./read-deployment.ts";
import { openLambda, readFunctions } from "./read-lambda.ts";
import { createOldestReader } from "./read-oldest-times.ts";

/**
 * A stack in the account and region of the operator's credentials. Throws `target-not-found` or `target-incomplete`.
 */
export async function findDeployedStack(stackName: string): Promise<ConnectedTarget> {
  const clients = deployedClients();
  try {
    return await connect(clients, stackName);
  } catch (error) {
    clients.destroy();
    throw error;
  }
}

/** What CloudFormation and Lambda say of a stack. */
interface Found {
  readonly name: string;
  readonly region: string;
  readonly stackId: string;
  readonly outputs: StackOutputs;
  readonly functions: readonly StackFunction[];
  readonly settings: FunctionSettings;
}

async function connect(clients: AwsClients, name: string): Promise<ConnectedTarget> {
  const { stackId, outputs } = await describeStack(clients.cloudFormation, name);
  const functions = await readFunctions(clients.lambda, outputs);
  const settings = readFunctionSettings(functions);
  const region = await clients.region();
  const found: Found = { name, region, stackId, outputs, functions, settings };
  const clock = {
    now: Date.now,
    awsDate: () => readDate(clients.sqs, requiredOutput(outputs, "InboxQueueUrl")),
  };
  const database = openTables(clients.dynamodb);
  return {
    stack: describe(clients, found),
    clock,
    orders: { table: requiredOutput(outputs, "OrdersTable"), database },
    records: { table: requiredOutput(outputs, "CallbacksTable"), database },
    queues: openQueues(clients, found),
    keys: {
      ...openSecrets(clients.secretsManager, clock.now),
      stampKey: settings.STAMP_KEY,
      previousKeysMilliseconds: settings.PREVIOUS_KEYS_SECONDS * 1000,
    },
    functions: { all: functions, lambda: openLambda(clients.lambda) },
    log: deployedLog(clients.cloudWatchLogs, functions),
    metrics: deployedMetrics(clients.cloudWatch, { stackName: name, functions }, clock.now),
    audit: deployedAudit(clients, outputs.get("AuditLogGroup")),
    findAgain: () => connect(clients, name),
    close: clients.destroy,
  };
}

function describe({ cloudFormation }: AwsClients, found: Found): Stack {
  const { name, region, stackId, outputs, settings } = found;
  return {
    kind: "deployed",
    name,
    region,
    api: requiredOutput(outputs, "ApiUrl"),
    callbackUrl: requiredOutput(outputs, "CallbackUrl"),
    merchants: merchantsOf(settings, outputs),
    smoke: smokeOf(outputs),
    gateway: settings.GATEWAY ?? noGateway,
    deployment: {
      // arn:aws:cloudformation:REGION:ACCOUNT:stack/NAME/ID
      accountId: stackId.split(":")[4] ?? "",
      version: outputs.get("Version"),
      encryptionKeyArn: outputs.get("EncryptionKeyArn"),
      status: async () => (await describeStack(cloudFormation, name)).status,
      describe: () => describeStack(cloudFormation, name),
    },
    local: { unavailable: "The stack is deployed: it has a real payment service and real queues." },
    changesSince: (sinceMilliseconds) => readDeployments(cloudFormation, name, sinceMilliseconds),
  };
}

function merchantsOf(
  { CALLBACK_KEYS, REQUEST_KEYS }: FunctionSettings,
  outputs: StackOutputs,
): readonly MerchantSecrets[] {
  return Object.entries(CALLBACK_KEYS)
    .filter(([, secretId]) => secretId !== outputs.get("SmokeCallbackKeys"))
    .map(([merchantId, callbackKeys]) => {
      return { merchantId, callbackKeys, requestKeys: REQUEST_KEYS?.[merchantId] };
    });
}

function smokeOf(outputs: StackOutputs): SmokeMerchant | Unavailable {
  const queueUrl = outputs.get("SmokeQueueUrl");
  const callbackKeys = outputs.get("SmokeCallbackKeys");
  if (queueUrl === undefined || callbackKeys === undefined) return noSmoke;
  return { merchantId: smokeName, queueUrl, callbackKeys };
}

function openQueues({ sqs, cloudWatch }: AwsClients, { outputs, settings }: Found): Queues {
  const captured = outputs.get("CapturedQueueUrl");
  return {
    inbox: {
      url: requiredOutput(outputs, "InboxQueueUrl"),
      deadLettersUrl: requiredOutput(outputs, "InboxDeadLettersUrl"),
    },
    subscribers: subscribersOf(settings, outputs),
    captured: captured === undefined ? noCapturing : { url: captured },
    open: (url, hold) => openQueue(sqs, url, hold),
    oldestTimes: createOldestReader(cloudWatch, Date.now),
    peek: { unavailable: "SQS shows the messages of a queue only to those who receive them." },
  };
}

function subscribersOf(
  { SUBSCRIBERS }: FunctionSettings,
  outputs: StackOutputs,
): readonly StackSubscriber[] {
  const subscribers = locateSubscribers(SUBSCRIBERS, requiredOutput(outputs, "InboxQueueUrl"));
  return subscribers
    .filter(({ queueUrl }) => queueUrl !== outputs.get("SmokeQueueUrl"))
    .map((subscriber) => ({
      ...subscriber,
      deadLettersUrl: requiredOutput(outputs, subscriberOutputs(subscriber.name).deadLettersUrl),
    }));
}
