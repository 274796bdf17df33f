import fc from "fast-check";
import { expect, test } from "vitest";
import type { OpenedCallback } from "../../../shared/envelope/open-callback.ts";
import { callbackGroup, orderGroup } from "../../../shared/inbox/message-group.ts";

function opened(result: unknown, key = "k"): OpenedCallback {
  return {
    merchantId: "m",
    merchantIsSigned: true,
    id: undefined,
    eventName: undefined,
    sentAtMilliseconds: undefined,
    plaintext: "",
    result,
    deduplication: { key, replayable: false },
    verifiedBy: { versionId: "v", stage: "current" },
  };
}

test("an order's callbacks go by its number, under either name", () => {
  expect(callbackGroup(opened({ referOrderNo: "A" }))).toBe(orderGroup("m", "A"));
  expect(callbackGroup(opened({ outOrderNo: "A" }))).toBe(orderGroup("m", "A"));
  expect(callbackGroup(opened({ referOrderNo: "", outOrderNo: "A" }))).toBe(orderGroup("m", "A"));
});

test("a refund's callbacks go by its payment", () => {
  const groupOf = (paymentId: string, refundId: string) =>
    callbackGroup(opened({ paymentId, refundId }));
  expect(groupOf("A", "R1")).toBe(groupOf("A", "R2"));
  expect(groupOf("A", "R1")).not.toBe(groupOf("B", "R1"));
  expect(groupOf("A", "R1")).not.toBe(orderGroup("m", "A"));
});

test("merchants share no group", () => {
  expect(orderGroup("m", "A")).not.toBe(orderGroup("n", "A"));
  expect(orderGroup("m", "A")).not.toBe(orderGroup("mA", ""));
});

test("a callback that names neither goes alone", () => {
  const groups = [undefined, null, 7, [], {}, { referOrderNo: 7 }].map((result, index) =>
    callbackGroup(opened(result, `${index}`)),
  );
  expect(new Set(groups).size).toBe(groups.length);
});

test("whatever the number holds, the group is one that SQS takes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (referOrderNo) => {
      expect(callbackGroup(opened({ referOrderNo }))).toMatch(/^[0-9a-f]{64}$/);
    }),
  );
});
