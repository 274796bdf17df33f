import { beforeEach, describe, expect, test } from "vitest";
import { aboutOf, attentionPartitions } from "../../../shared/attention/attention.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { readFact } from "../../../shared/facts/read-fact.ts";
import { groupOf } from "../../../shared/facts/subject.ts";
import type { CallbackMessage } from "../../../shared/inbox/inbox-message.ts";
import { queryMessageOf } from "../../../shared/inbox/send-to-inbox.ts";
import { loadOrder, saveOrder } from "../../../shared/orders/aggregate-store.ts";
import type {
  PublishedRecord,
  QuarantinedRecord,
} from "../../../shared/records/callback-record.ts";
import type { Receipt } from "../../../shared/records/receipt.ts";
import { recordQuarantine } from "../../../shared/records/record-quarantine.ts";
import { recordReceipt } from "../../../shared/records/record-receipt.ts";
import { markDelivery, recordStore } from "../../../shared/records/record-store.ts";
import { readRecord } from "../../../shared/records/stored-record.ts";
import type { Database } from "../../../shared/table/database.ts";
import { getItem } from "../../../shared/table/items.ts";
import { orderResult, refundResult } from "../../builders/callback.ts";
import { memoryDatabase } from "../../builders/memory-table.ts";

const now = Date.UTC(2026, 10, 15);
const merchantId = "208800000000000001";
const orderNo = "ORDER-2026-000042";
const tables = { callbacks: "callbacks", orders: "orders" };
const subscribers = ["books", "stock"].map((name) => ({
  name,
  types: ["*"],
  queueUrl: name,
  ordered: true,
}));
const settings = { source: "urn:test", subscribers, recordExpiryDays: 90, now: () => now };
const keptUntil = now / 1000 + 90 * 86_400;
const why = new PaycastError("event-unknown", "Unknown.");

let database: Database;
beforeEach(() => {
  database = memoryDatabase(now);
});
const store = () => recordStore(database, tables);

function receiptOf(result: object = orderResult(), over: Partial<CallbackMessage> = {}): Receipt {
  const isRefund = "refundId" in result;
  const message: CallbackMessage = {
    origin: "callback",
    merchantId,
    callbackId: "C-1",
    keyVersion: "v",
    eventName: isRefund ? "payment.refund.success" : "payment.order.success",
    content: { kind: "text", text: JSON.stringify(result), result },
    deduplication: { key: "c1", replayable: false },
    receivedAtMilliseconds: now - 2_000,
    sentAtMilliseconds: now - 5_000,
    traceparent: "t",
    ...over,
  };
  return { message, body: "the message", group: "0a" };
}

const another = (key: string) => ({ deduplication: { key, replayable: false } });

async function record(receipt = receiptOf()) {
  return await recordReceipt(receipt, readFact(receipt.message)!, settings, store());
}

/** The record as the table has it now. */
async function stored(receipt = receiptOf()) {
  const { record: found } = await record(receipt);
  return found as PublishedRecord;
}

const eventOf = (found: unknown) => JSON.parse((found as PublishedRecord).event);

describe("a receipt in the tables", () => {
  test("is written once, with its order", async () => {
    const first = await record();
    expect(first).toMatchObject({ isNew: true, record: { outcome: "published", sequence: 1 } });
    const order = await loadOrder(database, "orders", merchantId, orderNo);
    expect(order).toMatchObject({ status: "success", sequence: 1, revision: 1 });
    const again = await record();
    expect(again.isNew).toBe(false);
    expect(eventOf(again.record)).toEqual(eventOf(first.record));
    expect((again.record as PublishedRecord).pending).toEqual(["books", "stock"]);
  });

  test("of a refund goes to its payment, and a refund that is known to nobody", async () => {
    const first = await record(receiptOf(refundResult()));
    expect(eventOf(first.record).data.refundId).toBe("RF2026111500000042");
    expect((await record(receiptOf(refundResult(), another("c2")))).record.outcome).toBe(
      "known-fact",
    );
    const order = await loadOrder(database, "orders", merchantId, orderNo);
    expect(order.revision).toBe(0);
  });

  test("another event name, origin, merchant or key is another receipt", async () => {
    await record();
    const named = receiptOf(orderResult(), { eventName: undefined });
    expect((await record(named)).record.flags).toEqual(["conflict"]);
    const keyed = receiptOf(orderResult(), { deduplication: { key: "c2", replayable: true } });
    const { record: known } = await record(keyed);
    expect([known.outcome, known.flags, known.expiresAt]).toEqual(["known-fact", [], undefined]);
  });

  test("names in its event when and by which callback it was reported", async () => {
    const result = orderResult({ completeTime: "" });
    const { record: sent } = await record(receiptOf(result));
    expect(eventOf(sent)).toMatchObject({
      time: "2026-11-14T23:59:55.000Z",
      source: "urn:test",
      traceparent: "t",
      data: { callbackId: "C-1" },
    });
    database = memoryDatabase(now);
    const unsent = receiptOf(result, { sentAtMilliseconds: undefined });
    expect(eventOf((await record(unsent)).record).time).toBe("2026-11-14T23:59:58.000Z");
    database = memoryDatabase(now);
    const asked = { merchantId, orderNo, paymentId: "P1", answer: result };
    const message = queryMessageOf({ ...asked, receivedAtMilliseconds: now, traceparent: "t" });
    const { record: answer } = await record({ message, body: "", group: "0a" });
    expect(eventOf(answer)).toMatchObject({ time: "2026-11-15T00:00:00.000Z", origin: "query" });
    expect(eventOf(answer).data).not.toHaveProperty("callbackId");
    expect(answer).not.toHaveProperty("keyVersion");
  });

  test("of an aggregate that another writer has changed is a lost race, unless it is recorded", async () => {
    const { record: written } = await record();
    const order = await loadOrder(database, "orders", merchantId, orderNo);
    await saveOrder(database, "orders", order);
    const other = { ...written, callbackKey: "other" };
    expect(await store().commit(other, [order])).toEqual({ kind: "lost-race" });
    expect(await store().commit(written, [order])).toMatchObject({ kind: "recorded" });
  });
});

describe("a delivery", () => {
  const remainingOf = (kind: "waiting" | "undeliverable", ...names: string[]) => ({
    attention: { kind, subscribers: Object.fromEntries(names.map((name) => [name, "No"])) },
    since: "2026-11-15T00:00:00.000Z",
  });
  const first = "2026-11-15T08:25:20.000Z";
  const later = "2026-11-15T08:31:10.000Z";
  const mark = async (delivered: string[], over: object = {}) =>
    markDelivery(database, tables, await stored(), { delivered, at: first, ...over });
  const times = async () => {
    const found = await stored();
    return found.recipients.map((name) => found.delivered[name]);
  };

  test("removes the subscribers that have the event, and stores who is pending", async () => {
    expect(await mark(["books"], { remaining: remainingOf("waiting", "stock") })).toBe(true);
    expect(await stored()).toMatchObject({
      pending: ["stock"],
      attention: { kind: "waiting", subscribers: { stock: "No" } },
      attentionSince: "2026-11-15T00:00:00.000Z",
    });
    expect(await mark(["stock"])).toBe(true);
    const found = await stored();
    expect([found.pending, found.attention, found.expiresAt]).toEqual([[], undefined, keptUntil]);
  });

  test("stores for each recipient by name when it received the event", async () => {
    expect((await stored()).delivered).toEqual({});
    await mark(["books", "stock"]);
    expect((await stored()).delivered).toEqual({ books: first, stock: first });
  });

  test("has its own time if others got the event before", async () => {
    await mark([], { remaining: remainingOf("waiting", "books", "stock"), at: "never" });
    await mark(["books"], { remaining: remainingOf("waiting", "stock") });
    await mark(["stock"], { at: later });
    expect(await times()).toEqual([first, later]);
  });

  test("names whom it reached if it did not reach all, so that two instances do not mix the times up", async () => {
    const read = await stored();
    const markings = [
      { delivered: ["books"], at: later, remaining: remainingOf("waiting", "stock") },
      { delivered: ["stock"], at: first, remaining: remainingOf("waiting", "books") },
    ];
    for (const marking of markings) await markDelivery(database, tables, read, marking);
    expect(await times()).toEqual([later, first]);
  });

  test("is not noted for who is not pending any more, and the others are taken away", async () => {
    await mark(["stock"], { remaining: remainingOf("waiting", "books") });
    expect(await mark(["books"], { remaining: remainingOf("waiting", "stock") })).toBe(false);
    expect((await stored()).pending).toEqual([]);
    expect(await mark([], { remaining: remainingOf("undeliverable", "stock") })).toBe(false);
  });

  test("notes a refusal of all, and ends it without anything to send", async () => {
    expect(await mark([], { remaining: remainingOf("undeliverable", "books", "stock") })).toBe(
      true,
    );
    expect((await stored()).attention?.kind).toBe("undeliverable");
    expect(await mark([])).toBe(true);
    expect((await stored()).attention).toBeUndefined();
  });

  test("of a record that alone stops a replay leaves it for good", async () => {
    const receipt = receiptOf(orderResult(), { deduplication: { key: "c1", replayable: true } });
    const found = await stored(receipt);
    await markDelivery(database, tables, found, { delivered: ["books", "stock"], at: first });
    expect(await stored(receipt)).toMatchObject({ pending: [] });
    expect((await stored(receipt)).expiresAt).toBeUndefined();
  });
});

describe("a quarantine", () => {
  const quarantine = (receipt = receiptOf(), reason = why) =>
    recordQuarantine(receipt, reason, settings, store());
  const quarantined = async () => {
    const key = { callbackKey: `${merchantId}#callback#c1`, receipt: "first" };
    return readRecord((await getItem(database, "callbacks", key))!) as QuarantinedRecord;
  };

  test("marks an order that the service has not reported on, and no other", async () => {
    await quarantine();
    const order = await loadOrder(database, "orders", merchantId, orderNo);
    expect(order).toMatchObject({ state: { kind: "heard" }, revision: 1 });
    await quarantine(receiptOf(orderResult(), another("c2")));
    expect((await loadOrder(database, "orders", merchantId, orderNo)).revision).toBe(1);
    await quarantine(receiptOf(refundResult(), another("c3")));
    await quarantine(receiptOf({}, { eventName: "x", ...another("c4") }));
  });

  test("tried again keeps its beginning and has the new reason; understood, it is a receipt", async () => {
    await quarantine();
    const later = { ...settings, now: () => now + 60_000 };
    const again = new PaycastError("result-unreadable", "Again.");
    await recordQuarantine(receiptOf(), again, later, store());
    expect(await quarantined()).toMatchObject({
      attentionSince: "2026-11-15T00:00:00.000Z",
      outcome: "quarantined",
      reason: "result-unreadable",
      detail: "Again.",
      flags: [],
      attention: { kind: "quarantined", orderNo },
    });
    expect(await record()).toMatchObject({ isNew: true, record: { outcome: "published" } });
  });

  test("of a message that was understood before gives its event up for those who lack it", async () => {
    await record();
    await quarantine();
    expect(await stored()).toMatchObject({
      attention: {
        kind: "undeliverable",
        orderNo,
        subscribers: { books: "event-unknown", stock: "event-unknown" },
      },
      attentionSince: "2026-11-15T00:00:00.000Z",
    });
  });

  test("goes on if the order cannot be read, and not if AWS fails", async () => {
    const failing = (error: Error) => ({
      ...store(),
      loadOrder: () => Promise.reject(error),
    });
    await recordQuarantine(receiptOf(), why, settings, failing(new TypeError("no")));
    expect((await quarantined()).reason).toBe("event-unknown");
    const throttled = Object.assign(new Error("no"), { $metadata: {} });
    await expect(recordQuarantine(receiptOf(), why, settings, failing(throttled))).rejects.toBe(
      throttled,
    );
  });
});

test("each kind of attention has eight partitions, and names what it is about", () => {
  expect(attentionPartitions("waiting")).toEqual(
    [0, 1, 2, 3, 4, 5, 6, 7].map((shard) => `waiting#${shard}`),
  );
  expect(aboutOf(undefined)).toEqual({});
  expect(aboutOf({ kind: "order", merchantId, orderNo })).toEqual({ orderNo });
  expect(aboutOf({ kind: "payment", merchantId, paymentId: "P" })).toEqual({ paymentId: "P" });
  expect(groupOf({ kind: "order", merchantId, orderNo })).toHaveLength(64);
});
