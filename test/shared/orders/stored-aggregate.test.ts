import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PaymentFact } from "../../../shared/facts/fact.ts";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import { applyRefundFact } from "../../../shared/orders/apply-refund-fact.ts";
import { digestsOf } from "../../../shared/orders/content-digests.ts";
import { beginCreation, endCreation } from "../../../shared/orders/creation.ts";
import { dayPlaceOf } from "../../../shared/orders/day.ts";
import { dueAfterFact } from "../../../shared/orders/due.ts";
import { newOrder, type Order } from "../../../shared/orders/order.ts";
import {
  aggregateItem,
  readIfOrder,
  readIfPayment,
  readOrder,
  readPayment,
  separateNewer,
} from "../../../shared/orders/stored-aggregate.ts";
import { itemBytes } from "../../../shared/table/attributes.ts";
import { itemFormat } from "../../../shared/table/item-format.ts";
import { asRead } from "../table/as-read.ts";
import {
  anAttempt,
  aPayment,
  expected,
  linkedPayment,
  merchantId,
  other,
  refundFact,
  statusFact,
  successFact,
} from "./facts.ts";

const begunAt = Date.UTC(2026, 10, 15, 1, 22, 45, 123);
const orderNo = "ORDER-2026-000042";
const paymentId = "PAY20261115000000000000000000042";
const reported = {
  orderNo,
  transactionId: "TX2026111500000000000000000042",
  createdAtMilliseconds: begunAt,
};

/** An order as create-order leaves it, with ids as long as the interface's examples. */
function createdOrder(): Order {
  const fresh = newOrder(merchantId, orderNo);
  const request = {
    amount: expected,
    channel: "WEB",
    callbackUrl: "https://a1b2c3d4e5.execute-api.eu-west-1.amazonaws.com/callbacks",
    content: {
      ...digestsOf({ channel: "WEB", paymentAmount: 1, currency: "EUR", redirectUrl: "x" }),
      ...digestsOf({ orderAmount: 1, totalTax: 1, shipping: {}, goods: [] }, "order."),
    },
    paymentTimeMilliseconds: begunAt,
    expiresAtMilliseconds: begunAt + 1_800_000,
  };
  const attemptId = "QAMDUPRHQHKs";
  const placed = { ...fresh, ...dayPlaceOf(fresh, begunAt) };
  const begun = beginCreation(placed, request, attemptId, begunAt);
  if (begun.kind !== "begun") throw new Error(begun.kind);
  const checkoutUrl = `https://checkout.example.com/pay/${paymentId}`;
  return endCreation(begun.order, attemptId, { state: "created", paymentId, checkoutUrl });
}

function withFacts(order: Order, ...facts: readonly PaymentFact[]): Order {
  return facts.reduce((before, fact) => {
    const { aggregate, flags } = applyPaymentFact(before, fact);
    return dueAfterFact(before, aggregate, flags, begunAt);
  }, order);
}

const paidOrder = (fact: Partial<PaymentFact> = {}) =>
  withFacts(
    createdOrder(),
    statusFact("confirming", reported),
    successFact({ ...reported, ...fact } as object),
  );

describe("an order's item", () => {
  test("fits into two write units after a usual payment, with room for longer ids", () => {
    expect(itemBytes(aggregateItem(paidOrder()))).toBeLessThan(2_048 - 256);
  });

  test("says what it means: every value as it is, and its format", () => {
    const order = paidOrder();
    expect(aggregateItem(order)).toEqual({ ...order, itemFormat });
  });

  test.each([
    ["is sent again", { ...createdOrder(), attempts: [anAttempt(), anAttempt({ paymentId })] }],
    ["has what only a newer version knows", newerOrder()],
  ])("reads back as it was if the order %s", (_case, order) => {
    expect(readOrder(asRead(aggregateItem(order)))).toEqual(aggregateItem(order));
  });

  test("reads back as it was after any history", () => {
    const starts = fc.constantFrom(newOrder(merchantId, orderNo), createdOrder());
    const fact = fc
      .record({
        status: fc.constantFrom("confirming", "timeout", "failed", "success"),
        transactionId: fc.constantFrom("T1", "T2", undefined),
        createdAtMilliseconds: fc.constantFrom(begunAt, begunAt + 1, begunAt - 123, undefined),
        isCreatedAtWholeSecond: fc.boolean(),
        origin: fc.constantFrom("callback", "query"),
        paymentId: fc.constantFrom(paymentId, "P2", undefined),
        amount: fc.constantFrom(expected, other),
      })
      .map(({ status, amount, ...fields }) =>
        status === "success"
          ? successFact({ ...fields, orderNo, amount } as object)
          : statusFact(status as "failed", { ...fields, orderNo } as object),
      );
    fc.assert(
      fc.property(starts, fc.array(fact, { maxLength: 5 }), (start, facts) => {
        const order = withFacts(start, ...facts);
        expect(readOrder(asRead(aggregateItem(order)))).toEqual(aggregateItem(order));
      }),
    );
  });

  test("of a newer format is not read, and lists are told apart from it", () => {
    const newer = { ...aggregateItem(createdOrder()), itemFormat: itemFormat + 1 };
    const isRefused = expect.objectContaining({ code: "item-newer", retryable: true });
    for (const read of [readOrder, readPayment, readIfOrder, readIfPayment]) {
      expect(() => read(newer)).toThrow(isRefused);
    }
    const known = aggregateItem(createdOrder());
    expect(separateNewer([newer, known])).toEqual({ known: [known], newer: [newer] });
  });

  test("that cannot be read is no order", () => {
    const item = aggregateItem(createdOrder());
    expect(() => readOrder({ ...item, attempts: "unreadable" })).toThrow();
    expect(readIfOrder({ ...item, payment: 7 })).toBeUndefined();
    expect(readIfOrder(undefined)).toBeUndefined();
    const { status: _status, ...withoutStatus } = item;
    expect(readIfOrder(withoutStatus)).toBeUndefined();
    expect(readIfPayment({ ...aggregateItem(linkedPayment()), refunds: 7 })).toBeUndefined();
    const payment = aggregateItem(linkedPayment());
    expect(readIfPayment(payment)).toEqual(payment);
    expect(readIfPayment(undefined)).toBeUndefined();
  });
});

/** Whatever a newer version adds, also inside of what is usually left out. */
function newerOrder(): Order {
  const { successes, creation, ...order } = paidOrder();
  const newer = { fromTomorrow: [1, { deep: "text" }] };
  const newerCreation = { ...creation!, ...newer };
  const newerExpected = { ...expected, ...newer };
  return {
    ...order,
    ...newer,
    expected: newerExpected,
    creation: newerCreation,
    successes: successes.map((success) => ({ ...success, ...newer })),
  };
}

test.each([
  ["is linked", linkedPayment()],
  ["has a refund", applyRefundFact(linkedPayment(), refundFact()).aggregate],
  ["has a refund and no order", applyRefundFact(aPayment(), refundFact()).aggregate],
])("a payment's item reads back as it was if the payment %s", (_case, payment) => {
  const item = aggregateItem(payment);
  expect(readPayment(asRead(item))).toEqual(item);
});
