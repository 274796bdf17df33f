import { createPrivateKey, createSecretKey, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
} from "@aws-sdk/client-dynamodb";
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { type ProfileInput, readProfile } from "../../shared/envelope/profile.ts";
import { leaseKey } from "../../shared/reconciling/take-lease.ts";
import { listenOnLoopback } from "../../tools/local/aws/listen-on-loopback.ts";
import { type CallbackToSeal, sealCallback } from "../builders/seal-callback.ts";
import { putItem } from "../integration/aws-stores.ts";
import { type FunctionName, type Instance, startInstance } from "../integration/instance.ts";
import type { OperatedStack } from "../tools/operations/operated-stack.ts";

/** A function on the data of a stack, as a deployment with another environment would make it. */
export async function deployFunction(
  operated: OperatedStack,
  name: FunctionName,
  changes: Readonly<Record<string, string>> = {},
): Promise<Instance> {
  const { aws, functions } = operated.stack().description;
  return await startInstance(name, aws, { ...functions[name]!.environment, ...changes });
}

/** For so long the stack's own runs of reconcile-orders find a lease, and leave the orders of a test alone. */
export async function keepRunsAway(
  { clients, stack }: OperatedStack,
  milliseconds: number,
): Promise<void> {
  const { tables } = stack().description;
  const endsAtMilliseconds = Date.now() + milliseconds;
  const lease = { aggregateKey: leaseKey, kind: "lease", endsAtMilliseconds };
  await putItem(clients().dynamodb, tables.orders, lease);
}

/** Does the work while a payment service has only one answer. The work gets the variable of a function that names it. */
export async function whileReportedOnly<T>(
  answer: object,
  work: (environment: { readonly GATEWAY: string }) => Promise<T>,
): Promise<T> {
  const server = createServer((_request, response) => void response.end(JSON.stringify(answer)));
  const { endpoint, stop } = await listenOnLoopback(server);
  const paths = { create: "/create", query: "/query" };
  const GATEWAY = JSON.stringify({ baseUrl: endpoint, pathPrefix: "", paths });
  return await work({ GATEWAY }).finally(stop);
}

/** Deletes a queue. Returns how to create it as the template has it. */
export async function deleteQueue(sqs: SQSClient, QueueUrl: string): Promise<CreateQueueCommand> {
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
  const { Attributes = {} } = await sqs.send(command);
  await sqs.send(new DeleteQueueCommand({ QueueUrl }));
  const reported = /^(QueueArn|Approximate|Created|LastModified)/;
  const kept = Object.entries(Attributes).filter(([attribute]) => !reported.test(attribute));
  return new CreateQueueCommand({
    QueueName: QueueUrl.split("/").at(-1),
    Attributes: Object.fromEntries(kept),
  });
}

/** Deletes a table. Gives how to create it as it was, without its items. */
export async function deleteTable(
  dynamodb: DynamoDBClient,
  TableName: string,
): Promise<CreateTableCommand> {
  const { Table = {} } = await dynamodb.send(new DescribeTableCommand({ TableName }));
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes = [] } = Table;
  await dynamodb.send(new DeleteTableCommand({ TableName }));
  return new CreateTableCommand({
    TableName,
    AttributeDefinitions,
    KeySchema,
    BillingMode: "PAY_PER_REQUEST",
    GlobalSecondaryIndexes: GlobalSecondaryIndexes.map(({ IndexName, ...index }) => ({
      IndexName,
      KeySchema: index.KeySchema,
      Projection: index.Projection,
    })),
  });
}

/** A consumer that receives an event so often and never deletes it. At the next receive SQS moves it away. */
export async function failOn(sqs: SQSClient, QueueUrl: string, times: number): Promise<void> {
  const receive = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 };
  for (let count = 0; count <= times; count += 1) {
    await sqs.send(new ReceiveMessageCommand(receive));
  }
}

interface Sent {
  readonly id?: string;
  readonly eventName?: string;
  readonly profile?: ProfileInput;
  /** The stack's time, if its clock has jumped. */
  readonly nowMilliseconds?: number;
}

/** The body of an authentic callback that the simulator never sends. */
export function serviceCallback(
  operated: OperatedStack,
  merchantId: string,
  result: CallbackToSeal["result"],
  sent: Sent = {},
): string {
  const { id = randomUUID(), eventName = "payment.order.success", profile = {} } = sent;
  const { nowMilliseconds = Date.now() } = sent;
  const path = join(operated.directory, "simulator", merchantId, "simulator.json");
  const { aesKey, servicePrivateKey } = JSON.parse(readFileSync(path, "utf8"));
  const keys = {
    aesKey: createSecretKey(Buffer.from(aesKey, "base64")),
    privateKey: createPrivateKey(servicePrivateKey),
    profile: readProfile(profile),
  };
  const callback = { id, merchantId, eventName, result, nowMilliseconds };
  return JSON.stringify(sealCallback(callback, keys));
}

/** Sends such callbacks. Gives the status of the answer. */
export function createCallbackSender(operated: OperatedStack, merchantId: string) {
  return async (result: object, sent: Sent = {}): Promise<number> => {
    const answer = await fetch(`${operated.stack().description.api}/callbacks`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: serviceCallback(operated, merchantId, result, sent),
    });
    return answer.status;
  };
}
