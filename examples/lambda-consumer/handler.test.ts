import assert from "node:assert/strict";
import { test } from "node:test";
import { handleBatch, parseEvent, parseRecord } from "paycast-events";
import { testEvent, testRecord } from "paycast-events/testing";
import { decideWork } from "./decide-work.js";
import { type HandleEvent, handleEvent, type Snapshot } from "./handle-event.js";

const paid = testEvent("payment.order.success", { orderNo: "ORDER-7", sequence: 2 });
const refunded = testEvent("payment.refund.success", { orderNo: "ORDER-7" });

/** A table in memory that behaves like the real one. */
function memoryTable() {
  const handled = new Set<string>();
  const snapshots = new Map<string, Snapshot>();
  const table: HandleEvent = {
    keepSnapshot: async (snapshot) => {
      const kept = snapshots.get(snapshot.key);
      if (kept === undefined || kept.sequence < snapshot.sequence) {
        snapshots.set(snapshot.key, snapshot);
      }
    },
    storeOnce: async (eventId) => handled.size < handled.add(eventId).size,
  };
  return { table, snapshots };
}

test("a paid order is shipped once, however often its event arrives", async () => {
  const { table } = memoryTable();
  assert.equal(await handleEvent(paid, table), "stored");
  assert.equal(await handleEvent(paid, table), "duplicate");
});

test("an older event does not replace the order that is kept", async () => {
  const { table, snapshots } = memoryTable();
  await handleEvent(paid, table);
  const older = testEvent("payment.order.confirming", { orderNo: "ORDER-7", sequence: 1 });
  assert.equal(await handleEvent(older, table), "nothing to do");
  assert.deepEqual(
    [...snapshots.values()].map(({ sequence }) => sequence),
    [paid.sequence],
  );
});

test("a payment that a person must check is a question, not a shipment", () => {
  for (const flag of [
    "mismatch",
    "contradicted",
    "refunded",
    "duplicatePayment",
    "unknownOrder",
    "refusedOrder",
  ]) {
    const odd = testEvent("payment.order.success", { flags: [flag] });
    assert.equal(decideWork(odd)?.kind, "question");
  }
  const newFlag = testEvent("payment.order.success", { flags: ["a-flag-of-tomorrow"] });
  assert.equal(decideWork(newFlag)?.kind, "shipment");
});

test("each refund is work of its own", () => {
  const second = testEvent("payment.refund.success", { orderNo: "ORDER-7", refundId: "R-2" });
  assert.notEqual(decideWork(refunded)?.key, decideWork(second)?.key);
});

test("a type that this version does not know is skipped", async () => {
  const unknown = parseEvent({ ...paid, type: "payment.order.new" });
  assert.equal(await handleEvent(unknown, memoryTable().table), "skipped");
});

/** The batch goes through `handleBatch` as in the handler; the first message cannot be read. */
async function handleBrokenBatch(receiveCount: number) {
  const { table } = memoryTable();
  const outcomes: string[] = [];
  const Records = [
    { ...testRecord(paid, { receiveCount }), messageId: "broken", body: "{" },
    { ...testRecord(paid, { receiveCount }), messageId: "same order" },
    { ...testRecord(refunded), messageId: "its payment" },
  ];
  const handle = async (record: (typeof Records)[number]) => {
    const outcome = await handleEvent(parseRecord(record).event, table);
    outcomes.push(`${record.messageId}: ${outcome}`);
  };
  const { batchItemFailures } = await handleBatch({ Records }, handle, { onFailure: () => {} });
  return { outcomes, failed: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) };
}

test("after a failure the rest of its group returns to the queue, and other groups continue", async () => {
  assert.deepEqual(await handleBrokenBatch(1), {
    outcomes: ["its payment: stored"],
    failed: ["broken", "same order"],
  });
});

test("an event that fails on its last receives does not take the next event to the dead-letter queue", async () => {
  assert.deepEqual(await handleBrokenBatch(8), {
    outcomes: ["same order: stored", "its payment: stored"],
    failed: ["broken"],
  });
});
