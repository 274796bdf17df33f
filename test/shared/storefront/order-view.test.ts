import { describe, expect, test } from "vitest";
import { readPaymentResult } from "../../../shared/facts/read-result.ts";
import type { Order } from "../../../shared/orders/order.ts";
import type { Refund } from "../../../shared/orders/schemas.ts";
import {
  orderViewSchema,
  viewForeignPayment,
  viewOrder,
} from "../../../shared/storefront/order-view.ts";
import { anAttempt, anOrder, aPayment, expected, linkedPayment } from "../orders/facts.ts";

const nowMilliseconds = 1_794_706_000_000;
const fresh = { stale: false, nowMilliseconds };

const refund = (refundId: string, paymentId: string): Refund => ({
  refundId,
  paymentId,
  status: "refund_success",
  amount: { value: "2.50", minor: "250", currency: "EUR" },
});

const created = {
  contentHash: "hash",
  channel: "WEB",
  callbackUrl: "https://shop.example/callback",
  expiresAtMilliseconds: nowMilliseconds + 600_000,
  leaseEndsAtMilliseconds: nowMilliseconds + 10_000,
  checkoutUrl: "https://pay.example/P1",
};

test("the schema of the answer holds everything that the view has", () => {
  const order = anOrder({ expected, creation: created, attempts: [anAttempt()], flags: ["late"] });
  const view = viewOrder(order, [linkedPayment({ refunds: { R1: refund("R1", "P1") } })], fresh);
  expect(orderViewSchema.parse(view)).toEqual(view);
});

describe("the paid amount", () => {
  const payment = { amount: expected, origin: "callback" as const };

  test("is that of the fact if the order is paid", () => {
    const view = viewOrder(anOrder({ status: "success", payment }), [], fresh);
    expect(view.paidAmount).toEqual(expected);
  });

  test.each(["pending", "confirming", "timeout", "failed"] as const)(
    "is absent if the order is %s, also if the fact names an amount",
    (status) => {
      const view = viewOrder(anOrder({ status, payment }), [], fresh);
      expect(view.paidAmount).toBeUndefined();
      expect(view.amount).toEqual(expected);
    },
  );

  test("is absent for a payment of another shop that is not paid", () => {
    const answer = { status: "failed", payAmount: "12.50", currency: "EUR", merchantId: "M" };
    const view = viewForeignPayment(aPayment(), readPaymentResult(answer), nowMilliseconds);
    expect(view.paidAmount).toBeUndefined();
    expect(view.amount).toEqual(expected);
  });
});

describe("refunds", () => {
  test("of every payment of the order are listed and summed up", () => {
    const payments = ["P1", "P2"].map((paymentId) =>
      linkedPayment({
        paymentId,
        sequence: 1,
        refunds: { R: refund(`of ${paymentId}`, paymentId) },
      }),
    );
    const view = viewOrder(anOrder({ expected }), payments, fresh);
    expect(view.refunds.map(({ refundId }) => refundId)).toEqual(["of P1", "of P2"]);
    expect(view.refundedAmount).toEqual({ value: "5.00", minor: "500", currency: "EUR" });
    expect(view.payments).toEqual([
      { paymentId: "P1", sequence: 1 },
      { paymentId: "P2", sequence: 1 },
    ]);
  });

  test("of a payment that belongs to another order are not this order's, nor are its flags", () => {
    const another = aPayment({
      order: { orderNo: "B", expected },
      refunds: { R: refund("R", "P1") },
      flags: ["amountMismatch"],
    });
    const view = viewOrder(anOrder({ expected }), [another], fresh);
    expect(view).toMatchObject({ refunds: [], payments: [], flags: [] });
    expect(view.refundedAmount).toBeUndefined();
  });
});

test("nobody is sent to the checkout of a payment that has a refund", () => {
  const order = (further: Partial<Order>) => anOrder({ creation: created, ...further });
  expect(viewOrder(order({}), [], fresh).checkoutUrl).toBe(created.checkoutUrl);
  const refunded = order({ refundStatus: "refund_success" });
  expect(viewOrder(refunded, [], fresh).checkoutUrl).toBeUndefined();
});

describe("whether the service has the order is unknown", () => {
  const isUnknown = (order: Partial<Order>) =>
    viewOrder(anOrder({ creation: created, ...order }), [], fresh).outcomeUnknown;
  const unknown = [anAttempt({ state: "unknown" })];

  test("after an attempt without an answer", () => {
    expect(isUnknown({ attempts: unknown })).toBe(true);
    expect(isUnknown({ attempts: [anAttempt()] })).toBe(false);
  });

  test("while an attempt is sent only after the end of its lease", () => {
    const attempts = [anAttempt({ state: "sending" })];
    expect(isUnknown({ attempts })).toBe(false);
    const creation = { ...created, leaseEndsAtMilliseconds: nowMilliseconds };
    expect(isUnknown({ attempts, creation })).toBe(true);
  });

  test("not if the service reported on it or named a payment", () => {
    expect(isUnknown({ attempts: unknown, sequence: 1 })).toBe(false);
    expect(isUnknown({ attempts: unknown, paymentIds: ["P1"] })).toBe(false);
    expect(isUnknown({ attempts: unknown, hasQuarantinedCallback: true })).toBe(false);
  });
});

test("an order that the service refused says so, with its words and the time", () => {
  const refusal = { code: "40010", msg: "no such channel", atMilliseconds: 1_794_705_001_000 };
  const creation = { ...created, refusal };
  const attempts = [anAttempt({ state: "refused" })];
  expect(viewOrder(anOrder({ creation, attempts }), [], fresh)).toMatchObject({
    status: "refused",
    statusOrigin: "create",
    statusAt: "2026-11-15T01:10:01.000Z",
    service: { code: "40010", msg: "no such channel" },
  });
});
