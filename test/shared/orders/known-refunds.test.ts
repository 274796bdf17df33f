import { describe, expect, test } from "vitest";
import type { RefundStatus } from "../../../shared/facts/event-types.ts";
import { latestRefundStatus, withRefundAnswer } from "../../../shared/orders/known-refunds.ts";
import type { RefundReport } from "../../../shared/orders/schemas.ts";
import { anOrder, expected, linkedPayment } from "./facts.ts";

const report = (status: RefundStatus, second: number): RefundReport => ({
  status,
  learnedAt: `2026-11-15T00:00:0${second}.000Z`,
});
const at = (second: number) => Date.UTC(2026, 10, 15, 0, 0, second);

describe("the latest status of a refund", () => {
  test("is that of the query or of a callback, whichever came last", () => {
    const order = anOrder({ refundReport: report("refunding", 2) });
    const told = (status: RefundStatus, second: number) =>
      linkedPayment({ refundReport: report(status, second) });
    expect(latestRefundStatus(anOrder(), [linkedPayment()])).toBeUndefined();
    expect(latestRefundStatus(order, [linkedPayment()])).toBe("refunding");
    expect(latestRefundStatus(order, [told("refund_failed", 1)])).toBe("refunding");
    expect(latestRefundStatus(order, [told("refund_failed", 3)])).toBe("refund_failed");
    const two = [told("refund_success", 4), told("refund_failed", 3)];
    expect(latestRefundStatus(order, two)).toBe("refund_success");
  });

  test("is not that of a payment that belongs to another order", () => {
    const refundReport = report("refund_success", 1);
    const another = linkedPayment({ order: { orderNo: "B", expected }, refundReport });
    expect(latestRefundStatus(anOrder(), [another])).toBeUndefined();
  });

  test("is stored with the order if a query returned another one", () => {
    const order = withRefundAnswer(anOrder(), [], "refunding", at(1));
    expect(order.refundReport).toEqual(report("refunding", 1));
    expect(withRefundAnswer(order, [], undefined, at(2))).toBe(order);
    expect(withRefundAnswer(order, [], "refunding", at(2))).toBe(order);
    const told = linkedPayment({ refundReport: report("refund_failed", 3) });
    const again = withRefundAnswer(order, [told], "refunding", at(4));
    expect(again.refundReport).toEqual(report("refunding", 4));
    expect(withRefundAnswer(order, [told], "refund_failed", at(4))).toBe(order);
  });

  test("is not replaced by an older one that is processed again", () => {
    const order = withRefundAnswer(anOrder(), [], "refund_failed", at(2));
    expect(withRefundAnswer(order, [], "refunding", at(1))).toBe(order);
    const told = linkedPayment({ refundReport: report("refund_failed", 2) });
    expect(withRefundAnswer(anOrder(), [told], "refunding", at(1))).toEqual(anOrder());
  });
});
