import { ChangeMessageVisibilityBatchCommand, type Message } from "@aws-sdk/client-sqs";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { drain, receive, remove } from "./aws-stores.ts";
import { paymentCallback } from "./callbacks.ts";
import { type Call, to } from "./fault-proxy.ts";
import { eventsOf, orderItem, post, process } from "./flow.ts";
import type { Instance } from "./instance.ts";
import { sqsEvent, toQueued } from "./lambda-events.ts";
import { useWorlds, type World } from "./world.ts";

/* The batches that SQS makes of the inbox, from the callback to the subscriber's queue. */

const makeWorld = useWorlds();
let world: World;
let receiver: Instance;
let processor: Instance;
beforeAll(async () => {
  world = await makeWorld();
  receiver = await world.start("receive-callback");
  processor = await world.start("process-callback");
});
afterEach(async () => {
  processor.faults.heal();
  expect(await drain(world.sqs, world.inboxUrl)).toEqual([]);
});

let orders = 0;
const newOrders = (count: number) =>
  Array.from({ length: count }, () => {
    orders += 1;
    return `ORDER-${orders}`;
  });

/** So many payments of each order, those of one order under different transactions; the orders take turns. */
async function pay(orderNos: readonly string[], each: number): Promise<void> {
  for (let turn = 1; turn <= each; turn += 1) {
    for (const referOrderNo of orderNos) {
      const envelope = paymentCallback(world, { referOrderNo, transactionId: `T${turn}` });
      expect((await post(receiver, envelope)).statusCode).toBe(200);
    }
  }
}

/** Lambda deletes what the function did not name. */
async function take(batch: readonly Message[]): Promise<Message[]> {
  const failed = await process(processor, ...batch.map(toQueued));
  const isLeft = ({ MessageId }: Message) => failed.includes(MessageId!);
  for (const message of batch) {
    if (!isLeft(message)) await remove(world.sqs, world.inboxUrl, message);
  }
  return batch.filter(isLeft);
}

const groupsIn = (batch: readonly Message[]) =>
  new Set(batch.map(({ Attributes }) => Attributes!.MessageGroupId)).size;
const receivesOf = (batch: readonly Message[]) =>
  batch.map(({ Attributes }) => Number(Attributes!.ApproximateReceiveCount));

/** Every order has so many events, each once and in the order of its payments. */
async function expectPublished(orderNos: readonly string[], each: number) {
  const events = await eventsOf(world, "books");
  const lines = events.map(({ data, sequence }) => {
    return `${data.orderNo} ${"transactionId" in data ? data.transactionId : ""} ${Number(sequence)}`;
  });
  const numbers = Array.from({ length: each }, (_item, index) => index + 1);
  for (const orderNo of orderNos) {
    const wanted = numbers.map((number) => `${orderNo} T${number} ${number}`);
    expect(lines.filter((line) => line.startsWith(`${orderNo} `))).toEqual(wanted);
    expect(await orderItem(world, orderNo)).toMatchObject({ status: "success", sequence: each });
  }
  expect(lines).toHaveLength(orderNos.length * each);
}

describe("ten callbacks in one batch", () => {
  test.each([
    ["of one order", 1, 10],
    ["of two orders", 2, 5],
    ["of ten orders", 10, 1],
  ])("%s are all published, each order's in their order", async (_case, count, each) => {
    const orderNos = newOrders(count);
    await pay(orderNos, each);
    const batch = await receive(world.sqs, world.inboxUrl);
    expect([batch.length, groupsIn(batch)]).toEqual([10, count]);
    expect(await take(batch)).toEqual([]);
    await expectPublished(orderNos, each);
  });

  test("leave the rest of their order in the inbox until they are done", async () => {
    const orderNos = newOrders(1);
    await pay(orderNos, 12);
    const batch = await receive(world.sqs, world.inboxUrl);
    expect(batch).toHaveLength(10);
    expect(await receive(world.sqs, world.inboxUrl)).toEqual([]);
    expect(await take(batch)).toEqual([]);
    expect(await take(await receive(world.sqs, world.inboxUrl))).toEqual([]);
    await expectPublished(orderNos, 12);
  });

  test("of which one fails: what follows it in its order comes back with it, the other order is done", async () => {
    const orderNos = newOrders(2);
    const [failing = ""] = orderNos;
    await pay(orderNos, 5);
    const isWrite = (call: Call) =>
      to("dynamodb", "TransactWriteItems")(call) && JSON.stringify(call.input).includes(failing);
    const error = { status: 400, type: "ValidationException" };
    processor.faults.fail(isWrite, { kind: "refuse", error }, { skip: 1, times: 1 });
    const remaining = await take(await receive(world.sqs, world.inboxUrl));
    expect([remaining.length, groupsIn(remaining)]).toEqual([4, 1]);
    // The function has given them back for some seconds, all alike.
    expect(await receive(world.sqs, world.inboxUrl)).toEqual([]);
    const again = await receive(world.sqs, world.inboxUrl, 20);
    expect(again.map(({ MessageId }) => MessageId)).toEqual(
      remaining.map(({ MessageId }) => MessageId),
    );
    expect(receivesOf(again)).toEqual([2, 2, 2, 2]);
    expect(await take(again)).toEqual([]);
    await expectPublished(orderNos, 5);
  });
});

/** Ends the visibility timeout of a batch; the last message first, so that the order does not come from here. */
async function endVisibility(batch: readonly Message[]): Promise<void> {
  const Entries = batch.map(({ ReceiptHandle }, index) => ({
    Id: String(index),
    ReceiptHandle,
    VisibilityTimeout: 0,
  }));
  const QueueUrl = world.inboxUrl;
  await world.sqs.send(
    new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries: Entries.reverse() }),
  );
}

describe("a crash in the middle of a batch", () => {
  test.each([
    ["of one order", 1, 4, 0],
    ["of one order", 1, 4, 1],
    ["of one order", 1, 4, 6],
    ["of one order", 1, 4, 11],
    ["of four orders", 4, 1, 2],
    ["of four orders", 4, 1, 6],
    ["of four orders", 4, 1, 10],
  ])(
    "%s (%i × %i) after call %i: all of it comes again, and is published once",
    async (_case, count, each, skip) => {
      const orderNos = newOrders(count);
      await pay(orderNos, each);
      const batch = await receive(world.sqs, world.inboxUrl);
      const victim = await world.start("process-callback");
      victim.faults.fail(() => true, { kind: "die-after" }, { skip, times: 1 });
      expect(await victim.invoke(sqsEvent(batch.map(toQueued)))).toEqual({ kind: "died" });
      expect(await receive(world.sqs, world.inboxUrl)).toEqual([]);
      await endVisibility(batch);
      const again = await receive(world.sqs, world.inboxUrl);
      expect(again.map(({ MessageId }) => MessageId)).toEqual(
        batch.map(({ MessageId }) => MessageId),
      );
      expect(receivesOf(again)).toEqual(batch.map(() => 2));
      expect(await take(again)).toEqual([]);
      await expectPublished(orderNos, each);
    },
  );
});
