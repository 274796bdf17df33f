import { describe, expect, test } from "vitest";
import { isExpected, isFree, refusalOf, withRefundStatus } from "../../../shared/orders/order.ts";
import { aCreation, anAttempt, anOrder, expected, other } from "./facts.ts";

test.each([
  ["every attempt was refused", {}, true],
  ["nothing was created", { creation: undefined }, false],
  ["the service reported it", { sequence: 1 }, false],
  ["a callback about it is in quarantine", { hasQuarantinedCallback: true }, false],
  ["it has a payment", { paymentIds: ["P1"] }, false],
  [
    "one attempt was not refused",
    { attempts: [anAttempt({ state: "refused" }), anAttempt()] },
    false,
  ],
])("a number is free or not: %s", (_case, over, isFreeNow) => {
  const refusal = { code: "1", msg: "no", atMilliseconds: 0 };
  const creation = aCreation(0, { refusal });
  const refused = anOrder({ creation, attempts: [anAttempt({ state: "refused" })] });
  const order = { ...refused, ...over };
  expect(isFree(order)).toBe(isFreeNow);
  expect(refusalOf(order)).toEqual(isFreeNow ? refusal : undefined);
});

test.each([
  ["the amount of the order", expected, expected, true],
  ["another amount", expected, other, false],
  ["no amount", expected, undefined, false],
  ["any amount, if the order was created elsewhere", undefined, expected, false],
  ["no amount, if the order was created elsewhere", undefined, undefined, false],
])("an amount is the expected one or not: %s", (_case, ofOrder, amount, isSame) => {
  expect(isExpected(anOrder({ expected: ofOrder }), amount)).toBe(isSame);
});

describe("an order's refund status", () => {
  const order = anOrder({ refundStatus: "refunding" });

  test("follows the latest one that is reported", () => {
    expect(withRefundStatus(anOrder(), "refunding")).toEqual(order);
    const refunded = withRefundStatus(order, "refund_success");
    expect(refunded).toEqual({ ...order, refundStatus: "refund_success" });
  });

  test("stays if none is reported, or the same one", () => {
    expect(withRefundStatus(order, undefined)).toBe(order);
    expect(withRefundStatus(order, "refunding")).toBe(order);
  });
});
