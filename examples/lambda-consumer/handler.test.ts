import assert from "node:assert/strict";
import { test } from "node:test";
import { parseEvent, parseRecord } from "paycast-events";
import { testEvent, testRecord } from "paycast-events/testing";
import { decideWork } from "./decide-work.js";
import { handleBatch } from "./handle-batch.js";
import { type HandleEvent, handleEvent, type Snapshot } from "./handle-event.js";

const paid = testEvent("payment.order.success", { orderNo: "ORDER-7", sequence: 2 });
const refunded = testEvent("payment.refund.success", { orderNo: "ORDER-7" });

/** A table in memory, with the promises of the real one. */
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

test("a paid order is shipped once, however often its event comes", async () => {
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

test("a payment that does not match its order is a question, not a shipment", () => {
  for (const flag of ["mismatch", "duplicatePayment"]) {
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

test("after a failure the rest of its group is given back, and other groups go on", async (t) => {
  t.mock.method(console, "error", () => {});
  const seen: string[] = [];
  const records = [
    { ...testRecord(paid), messageId: "broken", body: "{" },
    { ...testRecord(paid), messageId: "same order" },
    { ...testRecord(refunded), messageId: "its payment" },
  ];
  const { batchItemFailures } = await handleBatch(records, async (record) => {
    seen.push(record.messageId);
    parseRecord(record);
  });
  const failed = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  assert.deepEqual(failed, ["broken", "same order"]);
  assert.deepEqual(seen, ["broken", "its payment"]);
});
