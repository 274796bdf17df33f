import { BatchWriteItemCommand } from "@aws-sdk/client-dynamodb";
import { CreateQueueCommand, DeleteQueueCommand } from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { toAttributes } from "../../shared/table/attributes.ts";
import { queuedPayment, queuedRefund } from "./callbacks.ts";
import { type AwsError, type Fault, sendTo, to } from "./fault-proxy.ts";
import {
  deliverPending,
  eventsOf,
  logOf,
  messagesOf,
  orderItem,
  process,
  records,
  subscriber,
} from "./flow.ts";
import { sqsEvent } from "./lambda-events.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();
const orderNo = "ORDER-2026-000042";

async function deleteQueueOf(world: World, name: string) {
  const { queueUrl } = subscriber(world, name);
  await world.sqs.send(new DeleteQueueCommand({ QueueUrl: queueUrl }));
  return async () => {
    const QueueName = queueUrl.split("/").at(-1);
    const Attributes = { FifoQueue: "true" };
    await world.sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  };
}

const sequencesOf = async (world: World, name: string) =>
  (await eventsOf(world, name)).map(({ sequence }) => Number(sequence));

describe("a subscriber's queue that is deleted and made again", () => {
  test("gets all of its events, in order of sequence; the others are not delayed", async () => {
    const world = await makeWorld({ subscribers: [{ name: "books" }, { name: "broken" }] });
    const processor = await world.start("process-callback");
    const deliverer = await world.start("deliver-pending");
    expect(await process(processor, queuedPayment(world, { status: "confirming" }))).toEqual([]);
    const makeAgain = await deleteQueueOf(world, "broken");
    expect(await process(processor, queuedPayment(world, { status: "timeout" }))).toEqual([]);
    expect(logOf(processor).at(-1)).toMatchObject({ subscribers: ["broken"], Deferred: 1 });
    expect(await process(processor, queuedPayment(world, { status: "failed" }))).toEqual([]);
    expect(await sequencesOf(world, "books")).toEqual([1, 2, 3]);
    await deliverPending(world, deliverer);
    expect(logOf(deliverer).at(-1)).toMatchObject({ Delivered: 0, subscribers: ["broken"] });
    await makeAgain();
    // It is there again, but what it missed comes before what is new.
    expect(await process(processor, queuedPayment(world, { status: "success" }))).toEqual([]);
    expect(await sequencesOf(world, "broken")).toEqual([]);
    expect(await sequencesOf(world, "books")).toEqual([4]);
    await deliverPending(world, deliverer);
    expect(await sequencesOf(world, "broken")).toEqual([2, 3, 4]);
    expect(logOf(deliverer).at(-1)).toMatchObject({ Delivered: 3, SubscribersFailing: 0 });
    expect(await process(processor, queuedPayment(world, { transactionId: "LAST" }))).toEqual([]);
    expect(await sequencesOf(world, "broken")).toEqual([5]);
    expect(await orderItem(world, orderNo)).not.toHaveProperty("behind");
    expect((await records(world)).filter((record) => "deferred" in record)).toEqual([]);
  });

  test("holds up no other order of its own: only what comes after a missed event waits", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    const makeAgain = await deleteQueueOf(world, "books");
    await process(processor, queuedPayment(world, { referOrderNo: "A" }));
    await makeAgain();
    await process(processor, queuedPayment(world, { referOrderNo: "B" }));
    const events = await eventsOf(world, "books");
    expect(events.map(({ subject }) => subject)).toEqual(["B"]);
  });
});

const refusal = (type: string, status = 400): AwsError => ({ type, status });
const faults: [name: string, fault: Fault][] = [
  ["refuses us", { kind: "refuse", error: refusal("AccessDenied", 403) }],
  ["is throttled", { kind: "refuse", error: refusal("com.amazonaws.sqs#RequestThrottled") }],
  ["fails", { kind: "refuse", error: refusal("InternalFailure", 500) }],
  ["does not answer", { kind: "stall" }],
  ["cuts the connection", { kind: "cut" }],
];

describe("one subscriber's trouble", () => {
  test("is put off, whatever it is, and the message is done", async () => {
    const world = await makeWorld({ subscribers: [{ name: "books" }, { name: "broken" }] });
    const processor = await world.start("process-callback");
    const deliverer = await world.start("deliver-pending");
    for (const [name, fault] of faults) {
      processor.faults.heal();
      processor.faults.fail(sendTo(subscriber(world, "broken").queueUrl), fault);
      const message = queuedPayment(world, { referOrderNo: name });
      expect(await process(processor, message), name).toEqual([]);
      expect(await sequencesOf(world, "books"), name).toEqual([1]);
      await deliverPending(world, deliverer);
      expect(await sequencesOf(world, "broken"), name).toEqual([1]);
    }
  });
});

describe("deliver-pending", () => {
  test("waits longer after each failure, up to an hour, and starts with the oldest", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    await deleteQueueOf(world, "books");
    await process(processor, queuedPayment(world));
    const deliverer = await world.start("deliver-pending");
    const minutes: number[] = [];
    for (let run = 0; run < 8; run += 1) {
      const before = Date.now();
      await deliverPending(world, deliverer);
      const [record] = await records(world);
      minutes.push(Math.round((Date.parse(String(record!["nextAttemptAt"])) - before) / 60_000));
    }
    expect(minutes).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
  });

  test("does not touch what is not due", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    const makeAgain = await deleteQueueOf(world, "books");
    await process(processor, queuedPayment(world));
    await makeAgain();
    const deliverer = await world.start("deliver-pending");
    await deliverer.invoke({});
    expect(await eventsOf(world, "books")).toEqual([]);
    expect(deliverer.faults.calls.map(({ operation }) => operation)).toEqual(["Query", "Query"]);
    deliverer.advance(61_000);
    await deliverer.invoke({});
    expect(await sequencesOf(world, "books")).toEqual([1]);
    expect(logOf(deliverer).map((line) => line["OldestPendingSeconds"])).toEqual([
      expect.any(Number),
      0,
    ]);
  });

  test("finds what is due behind hundreds of older entries that are not", async () => {
    const world = await makeWorld();
    const entries = Array.from({ length: 210 }, (_, index) => ({
      callbackKey: `older-${index}`,
      receipt: "first",
      deferred: "deferred",
      receivedAt: "2020-01-01T00:00:00.000Z",
      nextAttemptAt: "9999-01-01T00:00:00.000Z",
      orderKey: `order-${index}`,
      held: new Set(["books"]),
    }));
    for (let start = 0; start < entries.length; start += 25) {
      const requests = entries.slice(start, start + 25).map((entry) => {
        return { PutRequest: { Item: toAttributes(entry) } };
      });
      const RequestItems = { [world.tables.callbacks]: requests };
      await world.dynamodb.send(new BatchWriteItemCommand({ RequestItems }));
    }
    const processor = await world.start("process-callback");
    processor.faults.fail(sendTo(subscriber(world, "books").queueUrl), { kind: "cut" });
    expect(await process(processor, queuedPayment(world))).toEqual([]);
    const deliverer = await world.start("deliver-pending");
    deliverer.advance(61_000);
    expect(await deliverer.invoke({})).toMatchObject({ kind: "returned" });
    expect(await sequencesOf(world, "books")).toEqual([1]);
    // Only what is due is read beyond the index.
    expect(deliverer.faults.calls.filter(to("dynamodb", "GetItem"))).toHaveLength(2);
    const seconds = Number(logOf(deliverer).at(-1)!["OldestPendingSeconds"]);
    expect(seconds).toBeGreaterThan((Date.now() - Date.UTC(2020, 0, 1)) / 1000);
  });

  test("ends what was pending for a subscriber that is no longer configured, and says so", async () => {
    const world = await makeWorld({ subscribers: [{ name: "books" }, { name: "leaving" }] });
    const processor = await world.start("process-callback");
    await deleteQueueOf(world, "leaving");
    const batch = ["confirming", "success"].map((status) => queuedPayment(world, { status }));
    expect(await process(processor, ...batch)).toEqual([]);
    const SUBSCRIBERS = JSON.stringify([subscriber(world, "books")]);
    const deliverer = await world.start("deliver-pending", { SUBSCRIBERS });
    // For a while its deployment may still be under way.
    await deliverPending(world, deliverer);
    expect(logOf(deliverer).at(-1)).toMatchObject({ SubscriberGone: 0 });
    deliverer.advance(16 * 60_000);
    await deliverPending(world, deliverer);
    const lines = logOf(deliverer).filter(({ outcome }) => outcome === "subscriber-gone");
    expect(lines.map((line) => line["subscriber"])).toEqual(["leaving", "leaving"]);
    expect(logOf(deliverer).at(-1)).toMatchObject({ SubscriberGone: 2, OldestPendingSeconds: 0 });
    expect(await orderItem(world, orderNo)).not.toHaveProperty("behind");
    expect((await records(world)).filter((record) => "pending" in record)).toEqual([]);
  });

  test("also ends it where the message was cut off before the subscriber was removed", async () => {
    const world = await makeWorld({ subscribers: [{ name: "books" }, { name: "leaving" }] });
    const victim = await world.start("process-callback");
    victim.faults.fail(to("sqs"), { kind: "die-before" });
    const message = queuedPayment(world);
    expect(await victim.invoke(sqsEvent([message]))).toEqual({ kind: "died" });
    const SUBSCRIBERS = JSON.stringify([subscriber(world, "books")]);
    const processor = await world.start("process-callback", { SUBSCRIBERS });
    expect(await process(processor, message)).toEqual([]);
    expect(await sequencesOf(world, "books")).toEqual([1]);
    const deliverer = await world.start("deliver-pending", { SUBSCRIBERS });
    deliverer.advance(16 * 60_000);
    await deliverPending(world, deliverer);
    expect(logOf(deliverer).at(-1)).toMatchObject({ SubscriberGone: 1 });
    expect((await records(world)).filter((record) => "pending" in record)).toEqual([]);
  });

  test("lets no later event of an order overtake one whose next attempt is still to come", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    const deliverer = await world.start("deliver-pending");
    const toBooks = sendTo(subscriber(world, "books").queueUrl);
    processor.faults.fail(toBooks, { kind: "cut" });
    deliverer.faults.fail(toBooks, { kind: "cut" });
    await process(processor, queuedPayment(world, { status: "confirming" }));
    for (const _ of "123") await deliverPending(world, deliverer);
    await process(processor, queuedPayment(world));
    deliverer.faults.heal();
    // The second is due after a minute, the first not before sixteen.
    deliverer.advance(3 * 60_000);
    await deliverer.invoke({});
    expect(await sequencesOf(world, "books")).toEqual([]);
    await deliverPending(world, deliverer);
    expect(await sequencesOf(world, "books")).toEqual([1, 2]);
  });

  test("leaves a subscriber alone that fails again and again, and serves the others behind it", async () => {
    const world = await makeWorld({ subscribers: [{ name: "dead" }, { name: "alive" }] });
    const processor = await world.start("process-callback");
    const error = refusal("InternalFailure", 500);
    processor.faults.fail(({ operation }) => operation === "SendMessage", {
      kind: "refuse",
      error,
    });
    const batch = Array.from({ length: 20 }, (_, index) =>
      queuedPayment(world, { referOrderNo: `ORDER-${index}` }),
    );
    expect(await process(processor, ...batch)).toEqual([]);
    const deliverer = await world.start("deliver-pending");
    const toDead = sendTo(subscriber(world, "dead").queueUrl);
    deliverer.faults.fail(toDead, { kind: "refuse", error: refusal("AccessDenied", 403) });
    await deliverPending(world, deliverer);
    expect(await messagesOf(world, "alive")).toHaveLength(20);
    expect(deliverer.faults.calls.filter(toDead).length).toBeLessThan(20);
    deliverer.faults.heal();
    await deliverPending(world, deliverer);
    expect(await messagesOf(world, "dead")).toHaveLength(20);
  });
});

test("each subscriber gets the types that it wants and no others", async () => {
  const world = await makeWorld({
    subscribers: [
      { name: "all", types: ["*"] },
      { name: "orders", types: ["payment.order.*"] },
      { name: "refunds", types: ["payment.refund.*"] },
      { name: "two", types: ["payment.order.success", "payment.refund.failed"] },
    ],
  });
  const processor = await world.start("process-callback");
  const statuses = ["confirming", "timeout", "failed", "success"];
  const payments = statuses.map((status) => queuedPayment(world, { status }));
  const refunds = ["refund_failed", "refund_success"].map((status) =>
    queuedRefund(world, { status }),
  );
  expect(await process(processor, ...payments, ...refunds)).toEqual([]);
  const typesOf = async (name: string) =>
    (await eventsOf(world, name)).map(({ type }) => type.replace("payment.", "")).sort();
  const orders = ["order.confirming", "order.failed", "order.success", "order.timeout"];
  expect(await typesOf("all")).toEqual([...orders, "refund.failed", "refund.success"]);
  expect(await typesOf("orders")).toEqual(orders);
  expect(await typesOf("refunds")).toEqual(["refund.failed", "refund.success"]);
  expect(await typesOf("two")).toEqual(["order.success", "refund.failed"]);
});

test("a record does not expire while a subscriber waits for it, or what comes after would wait for ever", async () => {
  const world = await makeWorld();
  const processor = await world.start("process-callback");
  const makeAgain = await deleteQueueOf(world, "books");
  const batch = ["confirming", "success"].map((status) => queuedPayment(world, { status }));
  expect(await process(processor, ...batch)).toEqual([]);
  expect((await records(world)).filter((record) => "expiresAt" in record)).toEqual([]);
  await makeAgain();
  const deliverer = await world.start("deliver-pending");
  await deliverPending(world, deliverer);
  expect(await sequencesOf(world, "books")).toEqual([1, 2]);
  for (const { receivedAt, expiresAt } of await records(world)) {
    const receivedSeconds = Math.floor(Date.parse(String(receivedAt)) / 1000);
    expect(expiresAt).toBe(receivedSeconds + 90 * 86_400);
  }
});
