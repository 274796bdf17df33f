import { describe, expect, test } from "vitest";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import { applyRefundFact } from "../../../shared/orders/apply-refund-fact.ts";
import { settledMilliseconds } from "../../../shared/timing.ts";
import {
  creationShop,
  now,
  orderKey,
  paymentKey,
  paymentOfAnother,
  shortened,
} from "./creation-shop.ts";
import { aPayment, refundFact, statusFact } from "./facts.ts";

const refunded = applyRefundFact(aPayment(), refundFact()).aggregate;

/** A shop where a failure was reported before the payment was stored. */
async function shopWithFailedOrder() {
  const made = await creationShop();
  const { order } = await made.load();
  const learned = { learnedAtMilliseconds: now };
  await made.save(applyPaymentFact(order, statusFact("failed", learned)).aggregate);
  return made;
}

describe("the transaction that stores a payment", () => {
  test("reads nothing and has no notice if nothing is unusual", async () => {
    const { pay } = await creationShop();
    const { reads, writes, stored } = await pay();
    expect({ reads, writes }).toEqual({ reads: 0, writes: [[orderKey, paymentKey]] });
    expect(stored).toMatchObject({ kind: "stored", mismatch: false });
  });

  test("reads both again if a callback came while the service was asked, and keeps what it said", async () => {
    const { load, save, pay } = await creationShop();
    const { order } = await load();
    const learned = { learnedAtMilliseconds: now };
    await save(applyPaymentFact(order, statusFact("confirming", learned)).aggregate);
    const { reads, stored } = await pay();
    expect(reads).toBe(2);
    expect(stored).toMatchObject({ kind: "stored", order: { status: "confirming" } });
    expect((await load()).order).toMatchObject({ status: "confirming", paymentIds: ["P1"] });
  });

  test("has a notice if the payment belongs to another order, and leaves the payment out", async () => {
    const { save, pay, notice } = await creationShop();
    await save(paymentOfAnother);
    const { writes, stored } = await pay();
    expect(writes).toEqual([
      [orderKey, paymentKey],
      [orderKey, "claimed-twice#P1"],
    ]);
    expect(stored).toEqual({ kind: "claimed" });
    expect(await notice("claimed-twice#P1")).toMatchObject({
      attention: { kind: "claimed-twice", orderNo: "A", paymentId: "P1" },
      keptUntil: now / 1000 + 90 * 86_400,
    });
  });

  test("has a notice if earlier refunds contradict the order", async () => {
    const { save, pay, notice } = await shopWithFailedOrder();
    await save(refunded);
    const { writes, stored } = await pay();
    expect(writes).toEqual([
      [orderKey, paymentKey],
      [orderKey, paymentKey, "mismatch#P1"],
    ]);
    expect(stored).toMatchObject({ kind: "stored", mismatch: true });
    expect(await notice("mismatch#P1")).toMatchObject({
      attention: { kind: "mismatch", orderNo: "A", paymentId: "P1" },
    });
  });

  test("has one notice per order if the order's number was shortened", async () => {
    const { pay, notice } = await creationShop();
    const { writes, stored } = await pay(undefined, shortened);
    expect(writes).toEqual([[orderKey, paymentKey, "shortened-number"]]);
    expect(stored).toMatchObject({ order: { flags: ["shortenedNumber"] } });
    expect(await notice("shortened-number")).toMatchObject({
      attention: { kind: "shortened-number", orderNo: "A", paymentId: "P1" },
    });
  });
});

describe("the next check of an order whose payment is stored", () => {
  test("is two minutes after the expiry without refunds", async () => {
    const { load, pay } = await creationShop();
    await pay();
    expect((await load()).order.dueAtMilliseconds).toBe(now + 120_000);
  });

  test("is due immediately if the payment has refunds, because it was paid", async () => {
    const { load, save, pay } = await creationShop();
    await save(refunded);
    await pay();
    expect((await load()).order.dueAtMilliseconds).toBe(now);
  });

  test("is the last one if the order has ended, even with refunds", async () => {
    const { load, save, pay } = await shopWithFailedOrder();
    await save(refunded);
    await pay();
    expect((await load()).order.dueAtMilliseconds).toBe(now + settledMilliseconds);
  });
});
