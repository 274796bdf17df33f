import { describe, expect, test } from "vitest";
import { queuedPayment } from "./callbacks.ts";
import type { Call } from "./fault-proxy.ts";
import { sendTo } from "./fault-proxy.ts";
import {
  deliverPending,
  eventsOf,
  logOf,
  makeDue,
  messagesOf,
  orderItem,
  process,
  records,
  subscriber,
} from "./flow.ts";
import { sqsEvent } from "./lambda-events.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();
const subscribers = [{ name: "books" }, { name: "stock" }, { name: "loose", ordered: false }];
const orderNo = "ORDER-2026-000042";

/** One callback costs these calls: the order read, the transaction, three sends side by side, the mark. */
const callsOfOne = ["GetItem", "TransactWriteItems", ...Array(3).fill("SendMessage"), "UpdateItem"];

/** Before the first call and after each: before the next one is the same. */
function crashPoints(operations: readonly string[]) {
  const after = operations.map((operation, skip) => ({
    kind: "die-after" as const,
    skip,
    operation,
  }));
  return [{ ...after[0]!, kind: "die-before" as const }, ...after];
}

async function expectDeliveredOnce(world: World, sequences: readonly number[]) {
  for (const name of ["books", "stock"]) {
    const events = await eventsOf(world, name);
    expect(
      events.map(({ sequence }) => Number(sequence)),
      name,
    ).toEqual(sequences);
  }
  const loose = await messagesOf(world, "loose");
  const bodies = new Set(loose.map(({ Body }) => Body!));
  const told = [...bodies].map((body) => Number(JSON.parse(body).sequence));
  expect(told.sort(), "one body for each event on the unordered queue").toEqual(sequences);
}

async function expectNothingPending(world: World) {
  for (const record of await records(world)) {
    for (const left of ["pending", "held", "deferred", "nextAttemptAt"]) {
      expect(record).not.toHaveProperty(left);
    }
  }
  expect(await orderItem(world, orderNo)).not.toHaveProperty("behind");
}

test("a callback costs the calls that the crashes below are placed between", async () => {
  const world = await makeWorld({ subscribers });
  const processor = await world.start("process-callback");
  expect(await process(processor, queuedPayment(world))).toEqual([]);
  expect(processor.faults.calls.map(({ operation }) => operation)).toEqual(callsOfOne);
  await expectDeliveredOnce(world, [1]);
  await expectNothingPending(world);
});

describe("a crash of process-callback, then redelivery", () => {
  test.each(crashPoints(callsOfOne))("$kind call $skip, $operation", async ({ kind, skip }) => {
    const world = await makeWorld({ subscribers });
    const victim = await world.start("process-callback");
    const message = queuedPayment(world);
    victim.faults.fail(() => true, { kind }, { skip, times: 1 });
    expect(await victim.invoke(sqsEvent([message]))).toEqual({ kind: "died" });
    const processor = await world.start("process-callback");
    expect(await process(processor, message)).toEqual([]);
    expect(await process(processor, message)).toEqual([]);
    expect(logOf(processor).at(-1)).toMatchObject({ outcome: "duplicate", Duplicate: 1 });
    const later = queuedPayment(world, { transactionId: "SECOND" });
    expect(await process(processor, later)).toEqual([]);
    await expectDeliveredOnce(world, [1, 2]);
    await expectNothingPending(world);
    expect(await orderItem(world, orderNo)).toMatchObject({ version: 2, status: "success" });
  });
});

test("what is remarkable about a fact is counted though the first try crashed before it was logged", async () => {
  const world = await makeWorld({ subscribers });
  const victim = await world.start("process-callback");
  await process(victim, queuedPayment(world));
  const second = queuedPayment(world, { transactionId: "SECOND" });
  const isSend = ({ operation }: Call) => operation === "SendMessage";
  victim.faults.fail(isSend, { kind: "die-before" });
  expect(await victim.invoke(sqsEvent([second]))).toEqual({ kind: "died" });
  const processor = await world.start("process-callback");
  expect(await process(processor, second)).toEqual([]);
  expect(await process(processor, second)).toEqual([]);
  const counted = logOf(processor).filter((line) => line["DuplicatePayment"] === 1);
  expect(counted).toHaveLength(1);
  expect(counted[0]).toMatchObject({ outcome: "resumed", Resumed: 1 });
});

describe("a crash while a subscriber is out of order, then redelivery and deliver-pending", () => {
  // The same calls, but the mark is a transaction that hands the failed one over.
  test.each(["die-before", "die-after"] as const)("%s the handover", async (kind) => {
    const world = await makeWorld({ subscribers });
    const victim = await world.start("process-callback");
    const refuse = { kind: "refuse", error: { status: 403, type: "AccessDenied" } } as const;
    const toStock = sendTo(subscriber(world, "stock").queueUrl);
    victim.faults.fail(toStock, refuse);
    const isTransaction = ({ operation }: Call) => operation === "TransactWriteItems";
    victim.faults.fail(isTransaction, { kind }, { skip: 1 });
    const first = queuedPayment(world, { status: "confirming" });
    expect(await victim.invoke(sqsEvent([first]))).toEqual({ kind: "died" });
    const processor = await world.start("process-callback");
    processor.faults.fail(toStock, refuse);
    expect(await process(processor, first, queuedPayment(world))).toEqual([]);
    expect(await eventsOf(world, "stock")).toEqual([]);
    const deliverer = await world.start("deliver-pending");
    await deliverPending(world, deliverer);
    await expectDeliveredOnce(world, [1, 2]);
    await expectNothingPending(world);
  });
});

/** One held event costs deliver-pending these: the index, the record, the order, the send, the mark. */
const callsOfDelivery = ["Query", "GetItem", "GetItem", "SendMessage", "TransactWriteItems"];

describe("a crash of deliver-pending, then the next run", () => {
  test.each(crashPoints(callsOfDelivery))(
    "$kind call $skip, $operation",
    async ({ kind, skip, operation }) => {
      const world = await makeWorld({ subscribers });
      const processor = await world.start("process-callback");
      const error = { status: 500, type: "InternalFailure" };
      const toStock = sendTo(subscriber(world, "stock").queueUrl);
      processor.faults.fail(toStock, { kind: "refuse", error });
      const batch = [queuedPayment(world, { status: "confirming" }), queuedPayment(world)];
      expect(await process(processor, ...batch)).toEqual([]);
      const victim = await world.start("deliver-pending");
      victim.faults.fail(() => true, { kind }, { skip, times: 1 });
      await makeDue(world);
      expect(await victim.invoke({})).toEqual({ kind: "died" });
      expect(victim.faults.calls[skip]!.operation).toBe(operation);
      const deliverer = await world.start("deliver-pending");
      await deliverPending(world, deliverer);
      await expectDeliveredOnce(world, [1, 2]);
      await expectNothingPending(world);
    },
  );
});

test("an answer that is lost is no crash: the same call again finds what the first has done", async () => {
  const world = await makeWorld({ subscribers });
  const processor = await world.start("process-callback");
  for (const operation of ["TransactWriteItems", "SendMessage", "UpdateItem"]) {
    processor.faults.fail(
      (call) => call.operation === operation,
      { kind: "lose-answer" },
      { times: 1 },
    );
  }
  expect(await process(processor, queuedPayment(world))).toEqual([]);
  await expectDeliveredOnce(world, [1]);
  await expectNothingPending(world);
});
