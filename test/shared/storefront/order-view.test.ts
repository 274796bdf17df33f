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
  content: { channel: "hash" },
  channel: "WEB",
  callbackUrl: "https://shop.example/callback",
  expiresAtMilliseconds: nowMilliseconds + 600_000,
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
    const view = viewForeignPayment(
      aPayment(),
      readPaymentResult(answer, "query"),
      nowMilliseconds,
    );
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

describe("an unpaid order with a refund", () => {
  const order = (further: Partial<Order> = {}) => anOrder({ creation: created, ...further });
  const learnedAt = "2026-11-15T00:00:00.000Z";
  const reports = (["refunding", "refund_failed", "refund_success"] as const).map((status) => ({
    status,
    learnedAt,
  }));

  test.each(reports)("has no checkout and is stale: $status", (refundReport) => {
    const { status: refundStatus } = refundReport;
    const shown = { checkoutUrl: undefined, stale: true, refundStatus };
    expect(viewOrder(order({ refundReport }), [], fresh)).toMatchObject(shown);
    const payment = linkedPayment({ refundReport });
    expect(viewOrder(order(), [payment], fresh)).toMatchObject(shown);
    expect(viewOrder(order({ status: "failed" }), [payment], fresh)).toMatchObject(shown);
  });

  test("is told from one without, one that is paid, and one whose payment is another's", () => {
    const { checkoutUrl } = created;
    expect(viewOrder(order(), [linkedPayment()], fresh)).toMatchObject({
      checkoutUrl,
      stale: false,
    });
    const [refundReport] = reports;
    const paid = order({ status: "success", refundReport });
    expect(viewOrder(paid, [], fresh)).toMatchObject({ stale: false });
    const elsewhere = linkedPayment({ order: { orderNo: "B", expected }, refundReport });
    expect(viewOrder(order(), [elsewhere], fresh)).toMatchObject({ checkoutUrl, stale: false });
  });
});

describe("whether the service has the order is unknown", () => {
  const isUnknown = (order: Partial<Order>) =>
    viewOrder(anOrder({ creation: created, ...order }), [], fresh).outcomeUnknown;

  test("in the state of that name, and in no other", () => {
    for (const kind of ["new", "heard", "foreign", "unsent", "reported", "paid"] as const) {
      expect(isUnknown({ state: { kind } })).toBe(false);
    }
    expect(isUnknown({ state: { kind: "outcome-unknown" } })).toBe(true);
  });

  test("while an attempt is sent only after its deadline", () => {
    const state = { kind: "sending" as const };
    const sending = (untilMilliseconds: number) => [
      anAttempt({ state: "sending", untilMilliseconds }),
    ];
    expect(isUnknown({ state, attempts: sending(nowMilliseconds + 1) })).toBe(false);
    expect(isUnknown({ state, attempts: sending(nowMilliseconds) })).toBe(true);
  });
});

test("an order that the service refused says so, with its words and the time", () => {
  const refusal = { code: "40010", msg: "no such channel", atMilliseconds: 1_794_705_001_000 };
  const state = { kind: "refused" as const, ...refusal };
  const attempts = [anAttempt({ state: "refused" })];
  expect(viewOrder(anOrder({ creation: created, state, attempts }), [], fresh)).toMatchObject({
    status: "refused",
    statusOrigin: "create",
    statusAt: "2026-11-15T01:10:01.000Z",
    service: { code: "40010", msg: "no such channel" },
  });
});
