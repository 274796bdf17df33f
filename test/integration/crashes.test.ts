import { randomUUID } from "node:crypto";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Fields, queuedPayment } from "./callbacks.ts";
import { type Call, sendTo } from "./fault-proxy.ts";
import { eventsOf, logOf, messagesOf, orderItem, process, records, subscriber } from "./flow.ts";
import type { Instance } from "./instance.ts";
import { sqsEvent } from "./lambda-events.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();
const subscribers = [{ name: "books" }, { name: "stock" }, { name: "loose", ordered: false }];
let world: World;
let processor: Instance;
/** Of this test alone: all share one world. */
let orderNo: string;
beforeAll(async () => {
  world = await makeWorld({ subscribers });
  processor = await world.start("process-callback");
});
beforeEach(() => {
  orderNo = randomUUID();
});
afterEach(() => processor.faults.heal());

const payment = (fact: Fields = {}) => queuedPayment(world, { referOrderNo: orderNo, ...fact });

/** An instance fetches the stamp key once, for its first message. */
const isOfMessage = ({ service }: Call) => service !== "secretsmanager";

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

async function expectDeliveredOnce(sequences: readonly number[]) {
  for (const name of ["books", "stock"]) {
    const events = await eventsOf(world, name);
    expect(
      events.map(({ sequence }) => Number(sequence)),
      name,
    ).toEqual(sequences);
  }
  const loose = await messagesOf(world, "loose");
  const bodies = new Set(loose.map(({ Body }) => Body!));
  const published = [...bodies].map((body) => Number(JSON.parse(body).sequence));
  expect(published.sort(), "one body for each event on the unordered queue").toEqual(sequences);
}

/** Nobody waits for anything, so every record may expire. */
async function expectNothingPending() {
  for (const record of await records(world)) {
    expect(record).not.toHaveProperty("pending");
    expect(record).toHaveProperty("expiresAt");
  }
}

test("a callback costs the calls that the crashes below are placed between", async () => {
  const before = processor.faults.calls.length;
  expect(await process(processor, payment())).toEqual([]);
  const calls = processor.faults.calls.slice(before).filter(isOfMessage);
  expect(calls.map(({ operation }) => operation)).toEqual(callsOfOne);
  await expectDeliveredOnce([1]);
  await expectNothingPending();
});

describe("a crash of process-callback, then redelivery", () => {
  test.each(crashPoints(callsOfOne))("$kind call $skip, $operation", async ({ kind, skip }) => {
    const victim = await world.start("process-callback");
    const message = payment();
    victim.faults.fail(isOfMessage, { kind }, { skip, times: 1 });
    expect(await victim.invoke(sqsEvent([message]))).toEqual({ kind: "died" });
    expect(await process(processor, message)).toEqual([]);
    expect(await process(processor, message)).toEqual([]);
    expect(logOf(processor).at(-1)).toMatchObject({ outcome: "duplicate", Duplicate: 1 });
    const later = payment({ transactionId: "SECOND" });
    expect(await process(processor, later)).toEqual([]);
    await expectDeliveredOnce([1, 2]);
    await expectNothingPending();
    expect(await orderItem(world, orderNo)).toMatchObject({ sequence: 2, status: "success" });
  });
});

test("what is remarkable about a fact is counted though the first try crashed before it was logged", async () => {
  const victim = await world.start("process-callback");
  await process(victim, payment());
  const second = payment({ transactionId: "SECOND" });
  const isSend = ({ operation }: Call) => operation === "SendMessage";
  victim.faults.fail(isSend, { kind: "die-before" });
  expect(await victim.invoke(sqsEvent([second]))).toEqual({ kind: "died" });
  expect(await process(processor, second)).toEqual([]);
  expect(await process(processor, second)).toEqual([]);
  const [resumed, duplicate] = logOf(processor).slice(-2);
  expect(resumed).toMatchObject({ outcome: "resumed", Resumed: 1, DuplicatePayment: 1 });
  expect(duplicate).not.toHaveProperty("DuplicatePayment");
  await expectDeliveredOnce([1, 2]);
});

test("a crash while a subscriber refuses, then redelivery: the others have it once, it has all in order", async () => {
  const victim = await world.start("process-callback");
  const toStock = sendTo(subscriber(world, "stock").queueUrl);
  const refuse = { kind: "refuse", error: { status: 403, type: "AccessDenied" } } as const;
  victim.faults.fail(toStock, refuse);
  victim.faults.fail(({ operation }) => operation === "UpdateItem", { kind: "die-before" });
  const batch = [payment({ status: "confirming" }), payment()];
  expect(await victim.invoke(sqsEvent(batch))).toEqual({ kind: "died" });
  processor.faults.fail(toStock, refuse);
  expect(await process(processor, ...batch)).toEqual(batch.map(({ messageId }) => messageId));
  expect(await eventsOf(world, "stock")).toEqual([]);
  processor.faults.heal();
  expect(await process(processor, ...batch)).toEqual([]);
  await expectDeliveredOnce([1, 2]);
  await expectNothingPending();
});

test("an answer that is lost is no crash: the same call again finds what the first has done", async () => {
  for (const operation of ["TransactWriteItems", "SendMessage", "UpdateItem"]) {
    processor.faults.fail(
      (call) => call.operation === operation,
      { kind: "lose-answer" },
      { times: 1 },
    );
  }
  expect(await process(processor, payment())).toEqual([]);
  expect(logOf(processor).at(-1)).toMatchObject({ outcome: "published" });
  await expectDeliveredOnce([1]);
  await expectNothingPending();
});
