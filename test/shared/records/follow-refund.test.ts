import { describe, expect, test } from "vitest";
import type { PaymentFact } from "../../../shared/facts/fact.ts";
import type { InboxMessage } from "../../../shared/inbox/inbox-message.ts";
import {
  type Aggregate,
  loadOrder,
  loadPayment,
  saveAggregates,
} from "../../../shared/orders/aggregate-store.ts";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import { dueAfterCreation } from "../../../shared/orders/due.ts";
import type { Order } from "../../../shared/orders/order.ts";
import type { Receipt } from "../../../shared/records/receipt.ts";
import { recordReceipt } from "../../../shared/records/record-receipt.ts";
import { recordStore } from "../../../shared/records/record-store.ts";
import { memoryDatabase } from "../../builders/memory-table.ts";
import {
  anAttempt,
  anOrder,
  aPayment,
  expected,
  linkedPayment,
  merchantId,
  other,
  refundFact,
  statusFact,
  successFact,
} from "../orders/facts.ts";

const now = Date.UTC(2026, 10, 15);
const message: InboxMessage = {
  origin: "callback",
  merchantId,
  callbackId: "C-1",
  content: { kind: "text", text: "a refund", result: undefined },
  deduplication: { key: "c1", replayable: false },
  receivedAtMilliseconds: now,
  traceparent: "00-1-2-01",
  keyVersion: "v",
};
const receipt: Receipt = { message, body: "the message", group: "0a1b2c" };
const settings = { source: "urn:test", subscribers: [], recordExpiryDays: 90, now: () => now };
const open = dueAfterCreation(
  anOrder({
    expected,
    paymentIds: ["P1"],
    attempts: [anAttempt({ paymentId: "P1", startedAtMilliseconds: now })],
    creation: {
      contentHash: "hash",
      callbackUrl: "https://example.com/callbacks",
      channel: "WEB",
      expiresAtMilliseconds: now + 3_600_000,
      leaseEndsAtMilliseconds: 0,
    },
  }),
);

const crash = () => Promise.reject(new Error("unavailable"));

/** A linked payment with its order, and the refunds that are recorded for it. */
async function shop(order: Order, payment = linkedPayment()) {
  const database = memoryDatabase(now);
  const tables = { callbacks: "callbacks", orders: "orders" };
  await saveAggregates(database, "orders", [order, payment]);
  const store = recordStore(database, tables);
  const load = async () => ({
    order: await loadOrder(database, "orders", merchantId, "A"),
    payment: await loadPayment(database, "orders", merchantId, "P1"),
  });
  /** `meanwhile` happens after the refund has read everything, and before its transaction. */
  const refund = async (meanwhile: () => Promise<unknown> = async () => {}, save = store.save) => {
    const commit: typeof store.commit = async (...write) => {
      await meanwhile();
      return await store.commit(...write);
    };
    return await recordReceipt(receipt, refundFact(), settings, { ...store, commit, save });
  };
  const save = async (next: Aggregate) =>
    expect(await saveAggregates(database, "orders", [next])).toBe(true);
  const ends = async (end: PaymentFact) =>
    save(applyPaymentFact((await load()).order, end).aggregate);
  return { refund, load, save, ends, store };
}

describe("a refund of an open order", () => {
  test("makes the order due immediately and changes nothing else", async () => {
    const { refund, load } = await shop(open);
    const { order: before } = await load();
    expect(before.dueAtMilliseconds).toBeGreaterThan(now);
    expect(await refund()).toMatchObject({ isNew: true, raisedLater: [] });
    const { order, payment } = await load();
    const { revision } = before;
    expect(order).toEqual({ ...before, dueAtMilliseconds: now, revision: revision + 1 });
    expect(payment.flags).toEqual([]);
  });

  test("does so at its redelivery, if the first try failed after the transaction", async () => {
    const { refund, load } = await shop(open);
    await expect(refund(undefined, crash)).rejects.toThrow("unavailable");
    const { order, payment } = await load();
    expect(order.dueAtMilliseconds).toBeGreaterThan(now);
    expect(payment.sequence).toBe(1);
    expect(await refund()).toMatchObject({ isNew: false });
    expect((await load()).order.dueAtMilliseconds).toBe(now);
    expect((await load()).payment.sequence).toBe(1);
  });

  test("does so after another writer has changed the order", async () => {
    const { refund, load, ends } = await shop(open);
    await refund(() => ends(statusFact("confirming")));
    expect((await load()).order).toMatchObject({ status: "confirming", dueAtMilliseconds: now });
  });

  test.each([
    ["paid enough", successFact(), []],
    ["paid less", successFact({ amount: other }), ["mismatch"]],
    ["failed", statusFact("failed"), ["mismatch"]],
  ])("that ends meanwhile is compared with the refund: %s", async (_case, end, flags) => {
    const { refund, load, ends } = await shop(open);
    const recorded = await refund(() => ends(end));
    expect(recorded).toMatchObject({ record: { flags: [] }, raisedLater: flags });
    expect((await load()).payment.flags).toEqual(flags);
  });
});

test.each([
  ["paid enough", successFact(), []],
  ["failed", statusFact("failed"), ["mismatch"]],
])(
  "an order that ended before the refund's redelivery is compared with it: %s",
  async (_case, end, flags) => {
    const { refund, load, ends } = await shop(open);
    // The end has read the payment before the refund was there, and is written after the refund has read the order.
    await expect(refund(() => ends(end), crash)).rejects.toThrow("unavailable");
    expect((await load()).payment).toMatchObject({ sequence: 1, flags: [] });
    expect(await refund()).toMatchObject({ isNew: false, raisedLater: flags });
    expect((await load()).payment.flags).toEqual(flags);
    expect(await refund()).toMatchObject({ isNew: false, raisedLater: [] });
    expect((await load()).payment.flags).toEqual(flags);
  },
);

test("a payment that another writer changes meanwhile is read again before it is flagged", async () => {
  const { refund, load, save, ends, store } = await shop(open);
  await expect(refund(() => ends(statusFact("failed")), crash)).rejects.toThrow("unavailable");
  const tries: Aggregate[] = [];
  const saveAfterAnother: typeof store.save = async (...write) => {
    tries.push(write[0]);
    if (tries.length === 1) await save((await load()).payment);
    return await store.save(...write);
  };
  expect(await refund(undefined, saveAfterAnother)).toMatchObject({ raisedLater: ["mismatch"] });
  expect((await load()).payment).toMatchObject({ flags: ["mismatch"], sequence: 1 });
  expect(tries).toHaveLength(2);
});

test("a refund of a payment without an order raises nothing later", async () => {
  const { refund, load } = await shop(open, aPayment());
  const { order: before } = await load();
  expect(await refund()).toMatchObject({ isNew: true, raisedLater: [] });
  expect((await load()).order).toEqual(before);
});

test("a refund of an order that has ended writes nothing to the order", async () => {
  const { refund, load } = await shop(applyPaymentFact(open, successFact()).aggregate);
  const { order: before } = await load();
  expect(await refund()).toMatchObject({ isNew: true, record: { flags: [] }, raisedLater: [] });
  expect((await load()).order).toEqual(before);
});
