import assert from "node:assert/strict";
import { test } from "node:test";
import type { KnownEvent } from "paycast-events";
import { testEvent } from "paycast-events/testing";
import { keepSnapshot, type Snapshots, viewOrder } from "./order-view.js";

const confirming = testEvent("payment.order.confirming", { sequence: 1 });
const paid = testEvent("payment.order.success", { sequence: 2 });
const amount = { value: "4.10", minor: "410", currency: "USD" };
const refunded = testEvent("payment.refund.success", { amount, sequence: 1 });

function viewAfter(...events: KnownEvent[]) {
  const snapshots: Snapshots = { orders: new Map(), payments: new Map() };
  for (const event of events) keepSnapshot(snapshots, event);
  return viewOrder(snapshots, paid.data.merchantId, paid.data.orderNo);
}

test("every order of arrival ends in the same view", () => {
  const view = viewAfter(confirming, paid, refunded);
  assert.equal(view.order?.status, "success");
  assert.equal(view.refundedMinor, 410n);
  assert.deepEqual(viewAfter(refunded, paid, confirming), view);
  assert.deepEqual(viewAfter(paid, refunded, confirming, refunded), view);
});

test("each step of an example: refund, success, a late older event, a second refund", () => {
  const { payment } = refunded.data;
  const refundedAmount = { value: "6.10", minor: "610", currency: "USD" };
  const again = testEvent("payment.refund.success", { refundId: "R-2", sequence: 2 });
  const second = { ...again, data: { ...again.data, payment: { ...payment, refundedAmount } } };
  const steps = [refunded, paid, confirming, second];
  const views = steps.map((_item, index) => viewAfter(...steps.slice(0, index + 1)));
  assert.deepEqual(
    views.map(({ order, refundedMinor }) => [order?.status, refundedMinor]),
    [
      [undefined, 410n],
      ["success", 410n],
      ["success", 410n],
      ["success", 610n],
    ],
  );
});

test("a refund may be there before its order", () => {
  const { order, payments, refundedMinor } = viewAfter(refunded);
  assert.equal(order, undefined);
  assert.deepEqual([payments.length, refundedMinor], [1, 410n]);
});

test("a refund that names no order is found by the order's payments, its sum is not known", () => {
  const { orderNo: _orderNo, refundedAmount: _refundedAmount, ...payment } = refunded.data.payment;
  const unlinked: KnownEvent = {
    ...refunded,
    data: { ...refunded.data, amount: { value: "4.1" }, payment },
  };
  const view = viewAfter(paid, unlinked);
  assert.deepEqual([view.payments.length, view.refundedMinor], [1, undefined]);
});

test("order numbers of two merchants do not mix", () => {
  const merchantId = "OtherMerchant";
  const others = [
    testEvent("payment.order.failed", { merchantId, sequence: 3 }),
    testEvent("payment.refund.success", { merchantId, amount, sequence: 3 }),
  ];
  assert.deepEqual(viewAfter(paid, refunded, ...others), viewAfter(paid, refunded));
});
