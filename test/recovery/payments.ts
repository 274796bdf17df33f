import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { expect } from "vitest";
import type { AwsClients } from "../../local/aws/aws-clients.ts";
import type { Simulator } from "../../simulator/start-simulator.ts";
import { until } from "../end-to-end/running-stack.ts";
import { openShop } from "../end-to-end/shop.ts";
import { scan } from "../integration/aws-stores.ts";
import type { Stack } from "./double/stacks.ts";
import type { Running } from "./running-functions.ts";
import { physicalIdOf } from "./stack-contents.ts";

/** The consumer orders and pays, and the service sends its callbacks. Gives the payment's id. */
export async function pay(
  { stack }: Running,
  service: Simulator,
  orderNo: string,
): Promise<string> {
  const addresses = { api: stack.api, gateway: service.url };
  const shop = openShop(addresses as Parameters<typeof openShop>[0]);
  const { status, body } = await shop.create(orderNo);
  expect({ status, body }).toMatchObject({ status: 201 });
  service.pay(body.paymentId);
  return body.paymentId;
}

/** A payment has two callbacks, and either may come first. */
const callbacksOfPayment = 2;

/** Waits until the service has an acknowledgement of both callbacks of a payment. */
export async function received(service: Simulator, paymentId: string): Promise<void> {
  await until("both callbacks", () => {
    const { callbacks } = service.order(paymentId);
    const acknowledged = callbacks.filter(({ state }) => state === "delivered");
    return acknowledged.length < callbacksOfPayment ? undefined : true;
  });
}

/** Waits until every subscriber that wants them has the events of both callbacks of an order's payment. */
export async function published(running: Running, orderNo: string): Promise<void> {
  await until(`both events of ${orderNo}`, () => {
    const sent = endings(running, orderNo).filter(
      ({ outcome, ending }) => isPublished(outcome) && ending === "delivered",
    );
    return sent.length < callbacksOfPayment ? undefined : true;
  });
}

/** An event whose first send failed is resumed. */
function isPublished(outcome: unknown): boolean {
  return outcome === "published" || outcome === "resumed";
}

/** How process-callback ended with the only callback of an order that came, once it has. */
export async function outcomeOf(running: Running, orderNo: string): Promise<unknown> {
  const [line] = await until(`the callback of ${orderNo}`, () => {
    const lines = endings(running, orderNo);
    return lines.length === 0 ? undefined : lines;
  });
  return line?.["outcome"];
}

function endings({ lines }: Running, orderNo: string): Record<string, unknown>[] {
  return lines.filter((one) => one["service"] === "process-callback" && one["orderNo"] === orderNo);
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

/** Takes all events out of a queue. The next event of an order only comes when the one before it is deleted. */
export async function takeEvents(aws: AwsClients, QueueUrl: string): Promise<string[]> {
  const events: string[] = [];
  const take = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 });
  for (let taken = 1; taken > 0; ) {
    const { Messages = [] } = await aws.sqs.send(take);
    taken = Messages.length;
    for (const { Body = "", ReceiptHandle } of Messages) {
      const { subject, type } = JSON.parse(Body);
      events.push(`${subject} ${type}`);
      await aws.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }
  return events.sort();
}
