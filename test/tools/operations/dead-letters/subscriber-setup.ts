import { randomUUID } from "node:crypto";
import { DeleteItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterEach, beforeEach } from "vitest";
import { toAttributes } from "../../../../shared/table/attributes.ts";
import { drain } from "../../../integration/aws-stores.ts";
import { countOf, operator } from "../attention/put-aside.ts";
import type { TestTarget } from "../test-target.ts";

/** A stack whose subscribers' queues are empty before each test, and what a test puts there and sees. */
export function useSubscriberSetup(operated: TestTarget) {
  const { target, clients } = operated;
  const { purge } = operator(operated);
  const queuesOf = (name: string) =>
    target().queues.subscribers.find((subscriber) => subscriber.name === name)!;
  beforeEach(async () => {
    for (const { queueUrl, deadLettersUrl } of target().queues.subscribers) {
      await purge(queueUrl);
      await purge(deadLettersUrl);
    }
  });
  const type = "payment.order.success";
  const buryText = async (body: string, name: string, group: string): Promise<string> => {
    const { deadLettersUrl, ordered } = queuesOf(name);
    const command = new SendMessageCommand({
      QueueUrl: deadLettersUrl,
      MessageBody: body,
      MessageAttributes: {
        type: { DataType: "String", StringValue: type },
        mark: { DataType: "Binary", BinaryValue: Buffer.from([0, 255]) },
      },
      ...(ordered && { MessageGroupId: group, MessageDeduplicationId: randomUUID() }),
    });
    return (await clients().sqs.send(command)).MessageId!;
  };
  /** An event as its record holds it. The records are gone after each test: they are no receipts. */
  const recorded: { callbackKey: string; receipt: string }[] = [];
  const putRecord = async (event: string, group: string) => {
    const key = { callbackKey: `shop-1#${randomUUID()}`, receipt: randomUUID() };
    const time = { recordedAt: new Date().toISOString(), sequence: 7 };
    const fact = { group, type, merchantId: "shop-1", factId: randomUUID() };
    const Item = toAttributes({ ...key, ...time, ...fact, outcome: "published", event });
    const command = new PutItemCommand({ TableName: target().records.table, Item });
    await clients().dynamodb.send(command);
    recorded.push(key);
  };
  afterEach(async () => {
    const TableName = target().records.table;
    for (const key of recorded.splice(0)) {
      const command = new DeleteItemCommand({ TableName, Key: toAttributes(key) });
      await clients().dynamodb.send(command);
    }
  });
  const eventOf = (subject: string, partitionkey: string) => {
    const about = { id: randomUUID(), type, subject, sequence: "0000000007" };
    return JSON.stringify({ ...about, time: "2026-11-15", partitionkey });
  };
  const buryEvent = async (event: string, name: string, group: string) => {
    await putRecord(event, group);
    return await buryText(event, name, group);
  };
  return {
    eventOf,
    buryText,
    /** The same for the text of an event that the stack has published. */
    buryEvent,
    /** A dead letter, as SQS moves an event there; gives its message id. */
    bury: async (subject: string, name = "fulfilment", group: string = randomUUID()) =>
      await buryEvent(eventOf(subject, group), name, group),
    letterCount: (name = "fulfilment") => countOf(target(), queuesOf(name).deadLettersUrl),
    received: (name = "fulfilment") => drain(clients().sqs, queuesOf(name).queueUrl),
  };
}
