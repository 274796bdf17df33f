import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { refundData } from "./aggregates.ts";
import { queuedPayment, queuedRefund } from "./callbacks.ts";
import { type Call, to } from "./fault-proxy.ts";
import { eventsOf, orderItem, process, processAtOnce } from "./flow.ts";
import type { Instance } from "./instance.ts";
import { sqsEvent } from "./lambda-events.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();
let world: World;
let processor: Instance;
/** Of this test alone; also its payment's. */
let orderNo: string;
beforeAll(async () => {
  world = await makeWorld();
  processor = await world.start("process-callback");
});
beforeEach(async () => {
  orderNo = randomUUID();
  processor.faults.heal();
  await eventsOf(world, "books");
});

const payment = (status = "success", referOrderNo = orderNo) =>
  queuedPayment(world, { referOrderNo, status });
const refund = (refundId = "R1") => queuedRefund(world, { paymentId: orderNo, refundId });

/** A fault of ours: no repeat of the same call helps. */
const error = { status: 400, type: "ValidationException" };
const statuses = ["confirming", "timeout", "failed", "success"];

/** Calls that concern one order. */
const about = (orderNo: string) => (call: Call) => JSON.stringify(call.input).includes(orderNo);

describe("several messages of one group in a batch", () => {
  test("are taken one after the other, in their order", async () => {
    const batch = statuses.map((status) => payment(status));
    expect(new Set(batch.map(({ group }) => group)).size).toBe(1);
    expect(await process(processor, ...batch)).toEqual([]);
    const events = await eventsOf(world, "books");
    expect(events.map(({ data }) => data.status)).toEqual(statuses);
    expect(events.map(({ sequence }) => Number(sequence))).toEqual([1, 2, 3, 4]);
  });

  test("stop at the first failure: it and the rest stay in the inbox, and nothing overtakes", async () => {
    const batch = statuses.map((status) => payment(status));
    const [, second, third, fourth] = batch;
    // The second message's transaction.
    processor.faults.fail(
      to("dynamodb", "TransactWriteItems"),
      { kind: "refuse", error },
      { skip: 1, times: 1 },
    );
    const failed = await process(processor, ...batch);
    expect(failed).toEqual([second, third, fourth].map((message) => message!.messageId));
    expect(await eventsOf(world, "books")).toHaveLength(1);
    expect(await process(processor, second!, third!, fourth!)).toEqual([]);
    const events = await eventsOf(world, "books");
    expect(events.map(({ sequence }) => Number(sequence))).toEqual([2, 3, 4]);
  });

  test("leave the other groups of the batch alone", async () => {
    processor.faults.fail(about("BROKEN"), { kind: "refuse", error });
    const broken = [payment("confirming", "BROKEN"), payment("success", "BROKEN")];
    const [b1, b2] = broken;
    const [f1, f2] = [payment("confirming"), payment("success")];
    const failed = await process(processor, b1!, f1!, refund(), b2!, f2!);
    expect(failed).toEqual(broken.map(({ messageId }) => messageId));
    expect(await eventsOf(world, "books")).toHaveLength(3);
    expect(await orderItem(world, orderNo)).toMatchObject({ status: "success" });
  });
});

test("one message twice in a batch is published once", async () => {
  const message = payment();
  expect(await process(processor, message, message)).toEqual([]);
  expect(await eventsOf(world, "books")).toHaveLength(1);
});

test("refunds of one payment, side by side, all count: none overwrites another", async () => {
  const refunds = ["R1", "R2", "R3", "R4"].map((refundId) => ({
    ...refund(refundId),
    group: `group of ${refundId}`,
  }));
  // On a slow machine, one that loses every race runs out of time and is received again.
  await processAtOnce(processor, refunds, 4);
  const events = await eventsOf(world, "books");
  const last = events.find(({ sequence }) => Number(sequence) === 4);
  expect(
    refundData(last)
      .payment.refunds.map(({ refundId }) => refundId)
      .sort(),
  ).toEqual(["R1", "R2", "R3", "R4"]);
});

test("with too little time left nothing is begun, and all of it stays in the inbox", async () => {
  const batch = [payment(), payment("success", "OTHER")];
  const callsBefore = processor.faults.calls.length;
  const outcome = await processor.invoke(sqsEvent(batch), 2_000);
  const batchItemFailures = batch.map(({ messageId }) => ({ itemIdentifier: messageId }));
  expect(outcome).toEqual({ kind: "returned", value: { batchItemFailures } });
  const calls = processor.faults.calls.slice(callsBefore);
  expect(calls.filter(to("dynamodb"))).toEqual([]);
});

test("a message without a group is a group of its own", async () => {
  const message = payment();
  // Its stamp is for the group that it gets.
  const alone = { ...message, group: message.messageId };
  const event = JSON.parse(JSON.stringify(sqsEvent([alone])));
  delete event.Records[0].attributes.MessageGroupId;
  const outcome = await processor.invoke(event);
  expect(outcome).toEqual({ kind: "returned", value: { batchItemFailures: [] } });
  expect(await eventsOf(world, "books")).toHaveLength(1);
});
