import { describe, expect, test } from "vitest";
import type { PaymentFact } from "../../../shared/facts/fact.ts";
import type { InboxMessage } from "../../../shared/inbox/inbox-message.ts";
import { loadOrder, loadPayment, saveAggregates } from "../../../shared/orders/aggregate-store.ts";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import { dueAfterFact } from "../../../shared/orders/due.ts";
import type { Order } from "../../../shared/orders/order.ts";
import type { Receipt } from "../../../shared/records/receipt.ts";
import { recordReceipt } from "../../../shared/records/record-receipt.ts";
import { recordStore } from "../../../shared/records/record-store.ts";
import { memoryDatabase } from "../../builders/memory-table.ts";
import {
  anAttempt,
  anOrder,
  aPayment,
  asCreated,
  expected,
  linkedPayment,
  merchantId,
  other,
  refundFact,
  statusFact,
  successFact,
} from "../orders/facts.ts";

const now = Date.UTC(2026, 10, 15);
const receiptOf = (key: string): Receipt => {
  const message: InboxMessage = {
    origin: "callback",
    merchantId,
    callbackId: key,
    content: { kind: "text", text: key, result: undefined },
    deduplication: { key, replayable: false },
    receivedAtMilliseconds: now,
    traceparent: "00-1-2-01",
    keyVersion: "v",
  };
  return { message, body: key, group: "0a1b2c" };
};
const settings = { source: "urn:test", subscribers: [], recordExpiryDays: 90, now: () => now };
const open = asCreated(
  anOrder({
    expected,
    paymentIds: ["P1"],
    attempts: [anAttempt({ paymentId: "P1", startedAtMilliseconds: now })],
    creation: {
      content: { channel: "hash" },
      callbackUrl: "https://example.com/callbacks",
      channel: "WEB",
      expiresAtMilliseconds: now + 3_600_000,
    },
  }),
);

/** A linked payment with its order. `meanwhile` happens after a receipt has read everything, and before its transaction. */
async function shop(order: Order, payment = linkedPayment()) {
  const database = memoryDatabase(now);
  await saveAggregates(database, "orders", [order, payment]);
  const store = recordStore(database, { callbacks: "callbacks", orders: "orders" });
  const load = async () => ({
    order: await loadOrder(database, "orders", merchantId, "A"),
    payment: await loadPayment(database, "orders", merchantId, "P1"),
  });
  const record = async (
    fact: ReturnType<typeof refundFact> | PaymentFact,
    meanwhile: () => Promise<unknown> = async () => {},
  ) => {
    let tries = 0;
    const commit: typeof store.commit = async (...write) => {
      tries += 1;
      if (tries === 1) await meanwhile();
      return await store.commit(...write);
    };
    return await recordReceipt(receiptOf(fact.kind), fact, settings, { ...store, commit });
  };
  return { record, load };
}

describe("a refund of an open order", () => {
  test("makes the order due immediately and changes nothing else", async () => {
    const { record, load } = await shop(open);
    const { order: before } = await load();
    expect(before.dueAtMilliseconds).toBeGreaterThan(now);
    await record(refundFact());
    const { order, payment } = await load();
    const { revision } = before;
    expect(order).toEqual({ ...before, dueAtMilliseconds: now, revision: revision + 1 });
    expect(payment.flags).toEqual([]);
    // A repeat of the receipt finds all of it.
    expect(await record(refundFact())).toMatchObject({ isNew: false });
    expect((await load()).order).toEqual(order);
  });

  test("does so after another writer has changed the order", async () => {
    const { record, load } = await shop(open);
    await record(refundFact(), () => record(statusFact("confirming")));
    expect((await load()).order).toMatchObject({ status: "confirming", dueAtMilliseconds: now });
  });

  test.each([
    ["paid enough", successFact(), []],
    ["paid less", successFact({ amount: other }), ["mismatch"]],
    ["failed", statusFact("failed"), ["mismatch"]],
  ])("that ends meanwhile is compared with the refund: %s", async (_case, end, flags) => {
    const { record, load } = await shop(open);
    const recorded = await record(refundFact(), () => record(end));
    expect(recorded).toMatchObject({ isNew: true, record: { flags } });
    expect((await load()).payment.flags).toEqual(flags);
  });
});

describe.each([
  ["due later", open],
  ["due already", { ...open, dueAtMilliseconds: now - 1 }],
])("the end of an order that is %s, while a refund is recorded", (_name, order) => {
  test.each([
    ["paid enough", successFact(), ["refunded"]],
    ["paid less", successFact({ amount: other }), ["mismatch", "refunded"]],
    ["failed", statusFact("failed"), ["mismatch"]],
  ])("has the flags in its own event: %s", async (_case, end, flags) => {
    const { record, load } = await shop(order);
    const recorded = await record(end, () => record(refundFact()));
    expect(recorded).toMatchObject({ isNew: true, record: { flags } });
    expect((await load()).order.flags).toEqual(flags);
  });
});

test("a refund of a payment without an order writes no order", async () => {
  const { record, load } = await shop(open, aPayment());
  const { order: before } = await load();
  expect(await record(refundFact())).toMatchObject({ isNew: true });
  expect((await load()).order).toEqual(before);
});

test("a refund of an order that ended unpaid makes it due at once", async () => {
  const ended = applyPaymentFact(open, statusFact("failed"));
  const { record, load } = await shop(dueAfterFact(open, ended.aggregate, [], now));
  expect(await record(refundFact())).toMatchObject({
    isNew: true,
    record: { flags: ["mismatch"] },
  });
  expect((await load()).order).toMatchObject({ status: "failed", dueAtMilliseconds: now });
});

test("a refund of an order that is paid writes nothing to the order", async () => {
  const { record, load } = await shop(applyPaymentFact(open, successFact()).aggregate);
  const { order: before } = await load();
  expect(await record(refundFact())).toMatchObject({ isNew: true, record: { flags: [] } });
  expect((await load()).order).toEqual(before);
});
