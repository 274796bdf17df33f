import { describe, expect, test } from "vitest";
import { refundData } from "./aggregates.ts";
import { queuedPayment, queuedRefund } from "./callbacks.ts";
import { type Call, to } from "./fault-proxy.ts";
import { eventsOf, orderItem, process, records } from "./flow.ts";
import { sqsEvent } from "./lambda-events.ts";
import { useWorlds } from "./world.ts";

const makeWorld = useWorlds();
/** A fault of ours: no repeat of the same call helps. */
const error = { status: 400, type: "ValidationException" };
const statuses = ["confirming", "timeout", "failed", "success"];

/** Calls that concern one order. */
const about = (orderNo: string) => (call: Call) => JSON.stringify(call.input).includes(orderNo);

describe("several messages of one group in a batch", () => {
  test("are taken one after the other, in their order", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    const batch = statuses.map((status) => queuedPayment(world, { status }));
    expect(new Set(batch.map(({ group }) => group)).size).toBe(1);
    expect(await process(processor, ...batch)).toEqual([]);
    const events = await eventsOf(world, "books");
    expect(events.map(({ data }) => data.status)).toEqual(statuses);
    expect(events.map(({ sequence }) => Number(sequence))).toEqual([1, 2, 3, 4]);
  });

  test("stop at the first failure: it and the rest stay in the inbox, and nothing overtakes", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    const batch = statuses.map((status) => queuedPayment(world, { status }));
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
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    processor.faults.fail(about("BROKEN"), { kind: "refuse", error });
    const of = (referOrderNo: string, status: string) =>
      queuedPayment(world, { referOrderNo, status });
    const broken = [of("BROKEN", "confirming"), of("BROKEN", "success")];
    const fine = [of("FINE", "confirming"), of("FINE", "success"), queuedRefund(world)];
    const [b1, b2] = broken;
    const [f1, f2, refund] = fine;
    const failed = await process(processor, b1!, f1!, refund!, b2!, f2!);
    expect(failed).toEqual(broken.map(({ messageId }) => messageId));
    expect(await eventsOf(world, "books")).toHaveLength(3);
    expect(await orderItem(world, "FINE")).toMatchObject({ status: "success" });
  });
});

test("one message twice in a batch is published once", async () => {
  const world = await makeWorld();
  const processor = await world.start("process-callback");
  const message = queuedPayment(world);
  expect(await process(processor, message, message)).toEqual([]);
  expect(await eventsOf(world, "books")).toHaveLength(1);
});

test("refunds of one payment, side by side, all count: none overwrites another", async () => {
  const world = await makeWorld();
  const processor = await world.start("process-callback");
  const refunds = ["R1", "R2", "R3", "R4"].map((refundId) => ({
    ...queuedRefund(world, { refundId }),
    group: `group of ${refundId}`,
  }));
  expect(await process(processor, ...refunds)).toEqual([]);
  const events = await eventsOf(world, "books");
  const last = events.find(({ sequence }) => Number(sequence) === 4);
  expect(
    refundData(last)
      .payment.refunds.map(({ refundId }) => refundId)
      .sort(),
  ).toEqual(["R1", "R2", "R3", "R4"]);
});

test("with too little time left nothing is begun, and all of it stays in the inbox", async () => {
  const world = await makeWorld();
  const processor = await world.start("process-callback");
  const batch = [queuedPayment(world), queuedPayment(world, { referOrderNo: "OTHER" })];
  const outcome = await processor.invoke(sqsEvent(batch), 2_000);
  const batchItemFailures = batch.map(({ messageId }) => ({ itemIdentifier: messageId }));
  expect(outcome).toEqual({ kind: "returned", value: { batchItemFailures } });
  expect(processor.faults.calls.filter(({ service }) => service === "dynamodb")).toEqual([]);
  expect(await records(world)).toEqual([]);
});

test("a message without a group is a group of its own", async () => {
  const world = await makeWorld();
  const processor = await world.start("process-callback");
  const event = JSON.parse(JSON.stringify(sqsEvent([queuedPayment(world)])));
  delete event.Records[0].attributes.MessageGroupId;
  const outcome = await processor.invoke(event);
  expect(outcome).toEqual({ kind: "returned", value: { batchItemFailures: [] } });
  expect(await eventsOf(world, "books")).toHaveLength(1);
});
