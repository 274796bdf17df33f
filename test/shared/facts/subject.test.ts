import { describe, expect, test } from "vitest";
import {
  aggregateKeyOf,
  factKindOf,
  groupOf,
  groupWithoutSubject,
  readAggregateKey,
  subjectOf,
} from "../../../shared/facts/subject.ts";
import { orderResult, refundResult } from "../../builders/callback.ts";

const order = { kind: "order", merchantId: "m", orderNo: "ORDER-2026-000042" };
const payment = { kind: "payment", merchantId: "m", paymentId: "PAY20261115000000000000000000042" };

describe("what a callback is about", () => {
  test("is an order for a payment's result and a payment for a refund's", () => {
    expect(subjectOf("m", "payment.order.success", orderResult())).toEqual(order);
    expect(subjectOf("m", "payment.refund.success", refundResult())).toEqual(payment);
  });

  test("is not changed by fields that belong to the other kind", () => {
    const refund = refundResult({ referOrderNo: "X", outOrderNo: "Y" });
    expect(subjectOf("m", "payment.refund.success", refund)).toEqual(payment);
    const paid = orderResult({ paymentId: "X", refundId: "Y" });
    expect(subjectOf("m", "payment.order.success", paid)).toEqual(order);
  });

  test("is decided by the status where the event's name is not signed", () => {
    expect(subjectOf("m", undefined, refundResult({ referOrderNo: "X" }))).toEqual(payment);
    expect(subjectOf("m", undefined, orderResult({ paymentId: "X" }))).toEqual(order);
  });

  test("is nothing for an unknown event, and where the id is missing", () => {
    expect(subjectOf("m", "payment.dispute.opened", orderResult())).toBeUndefined();
    expect(subjectOf("m", "payment.order.success", refundResult())).toBeUndefined();
    expect(subjectOf("m", "payment.dispute.opened", refundResult())).toBeUndefined();
    expect(subjectOf("m", undefined, undefined)).toBeUndefined();
    expect(subjectOf("m", undefined, null)).toBeUndefined();
    for (const referOrderNo of [null, "", "x".repeat(257), "\ud800"]) {
      expect(subjectOf("m", undefined, orderResult({ referOrderNo }))).toBeUndefined();
    }
  });

  test("has its id also as a number, and under its other name", () => {
    const subject = subjectOf("m", undefined, orderResult({ referOrderNo: 42 }));
    expect(subject).toEqual({ ...order, orderNo: "42" });
    const { referOrderNo, ...rest } = orderResult({ referOrderNo: "x".repeat(256) });
    const renamed = subjectOf("m", undefined, { ...rest, outOrderNo: referOrderNo });
    expect(renamed).toEqual({ ...order, orderNo: referOrderNo });
  });
});

test("the kind follows the event's name, whatever the status says", () => {
  expect(factKindOf("payment.refund.success", orderResult())).toBe("refund");
  expect(factKindOf("payment.order.success", refundResult())).toBe("payment");
});

test("an order and a payment with the same id share neither item nor group", () => {
  const candidate = { kind: "order", merchantId: "m", orderNo: "7" } as const;
  const other = { kind: "payment", merchantId: "m", paymentId: "7" } as const;
  expect([candidate, other].map(aggregateKeyOf)).toEqual(["m#order#7", "m#payment#7"]);
  expect(["m#order#7", "m#payment#7"].map(readAggregateKey)).toEqual([candidate, other]);
  expect(["m#creation#7", "n#m#order#7"].map(readAggregateKey)).toEqual([undefined, undefined]);
  expect(groupOf(candidate)).not.toBe(groupOf(other));
  expect(groupOf(candidate)).toMatch(/^[0-9a-f]{64}$/);
});

test("the key of an item names its aggregate, whatever the order number holds", () => {
  const named = { kind: "order", merchantId: "M-1", orderNo: "7#order#\n8" } as const;
  expect(readAggregateKey(aggregateKeyOf(named))).toEqual(named);
});

/** Made with `printf '["order","M1","A"]' | sha256sum`. Messages in the inbox and stored records have these groups. */
test("a group stays the same from version to version", () => {
  expect(groupOf({ kind: "order", merchantId: "M1", orderNo: "A" })).toBe(
    "cf19a6805ae4758590e71d974ff9d42cd0c9cd67db457db2373c60c08e9eba29",
  );
  expect(groupOf({ kind: "payment", merchantId: "M1", paymentId: "P1" })).toBe(
    "59b9e7b312a071062318a107e116e0d7a2a73ed1664d8525ee69768ec65d48c5",
  );
  expect(groupWithoutSubject("M1", "c1")).toBe(
    "096bbb8adc2fc0fc09be7fdcdffe8ca92915f6e224468aee4a0be68d6fee7f5c",
  );
});
