import { ReceiveMessageCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { expect } from "vitest";
import type { AwsClients } from "../../local/aws/aws-clients.ts";
import type { Simulator } from "../../simulator/start-simulator.ts";
import { until } from "../end-to-end/running-stack.ts";
import { openShop } from "../end-to-end/shop.ts";
import { scan } from "../integration/aws-stores.ts";
import type { Stack } from "./double/stacks.ts";
import type { Running } from "./running-functions.ts";
import { physicalIdOf } from "./stack-contents.ts";

/** The consumer orders and pays, and the service sends its callback. */
export async function pay({ stack }: Running, service: Simulator, orderNo: string): Promise<void> {
  const addresses = { api: stack.api, gateway: service.url };
  const shop = openShop(addresses as Parameters<typeof openShop>[0]);
  const { status, body } = await shop.create(orderNo);
  expect({ status, body }).toMatchObject({ status: 201 });
  service.pay(body.paymentId);
}

/** Waits until receive-callback has acknowledged a callback. */
export async function received({ lines }: Running): Promise<void> {
  await until("the callback", () => lines.find(({ outcome }) => outcome === "accepted"));
}

/** How process-callback ended with the callback of an order, once it has. */
export async function outcomeOf({ lines }: Running, orderNo: string): Promise<unknown> {
  const line = await until(`the callback of ${orderNo}`, () =>
    lines.find((one) => one["service"] === "process-callback" && one["orderNo"] === orderNo),
  );
  return line["outcome"];
}

/** The recorded message comes again, long after SQS has forgotten its deduplication id. */
export async function sendAgain(aws: AwsClients, stack: Stack, orderNo: string): Promise<void> {
  const records = await scan(aws.dynamodb, physicalIdOf(stack, "RecordsCallbacks"));
  const record = records.find(({ message }) => String(message).includes(orderNo));
  await aws.sqs.send(
    new SendMessageCommand({
      QueueUrl: physicalIdOf(stack, "InboxMessagesQueue"),
      MessageBody: String(record?.["message"]),
      MessageGroupId: String(record?.["group"]),
      MessageDeduplicationId: "again",
    }),
  );
}

/** The orders whose events are in a queue. */
export async function subjectsIn(aws: AwsClients, QueueUrl: string): Promise<string[]> {
  const subjects: string[] = [];
  const take = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 });
  for (let taken = 1; taken > 0; ) {
    const { Messages = [] } = await aws.sqs.send(take);
    taken = Messages.length;
    subjects.push(...Messages.map(({ Body = "" }) => JSON.parse(Body).subject));
  }
  return subjects.sort();
}
