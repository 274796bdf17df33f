import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refundStatuses } from "../../../shared/events/event-types.ts";
import { applyFact } from "../../../shared/orders/apply-fact.ts";
import { type Fact, factIdOf } from "../../../shared/orders/fact.ts";
import { type Order, orderSchema } from "../../../shared/orders/order.ts";
import { emptyOrder, expected, paymentFact, refundFact } from "./facts.ts";

const applyAll = (facts: readonly Fact[], start = emptyOrder()): Order =>
  facts.reduce((order, fact) => applyFact(order, fact)?.order ?? order, start);

const anyFact: fc.Arbitrary<Fact> = fc.oneof(
  fc
    .record({
      status: fc.constantFrom("confirming", "timeout", "failed", "success"),
      transactionId: fc.constantFrom("T1", "T2", undefined),
    })
    .map(paymentFact),
  fc
    .record({
      refundId: fc.constantFrom("R1", "R2"),
      status: fc.constantFrom(...refundStatuses),
    })
    .map(refundFact),
);

describe("whatever is told, in whatever order and however often", () => {
  test("an order and its refunds end in the same statuses", () => {
    const told = fc.array(anyFact, { maxLength: 12 });
    const both = told.chain((facts) =>
      fc.tuple(fc.constant(facts), fc.shuffledSubarray(facts, { minLength: facts.length })),
    );
    const endOf = (facts: readonly Fact[]) => {
      const { status, refunds, version } = applyAll(facts);
      const ends = Object.values(refunds).map((refund) => [refund.refundId, refund.status]);
      return { status, version, refunds: ends.sort() };
    };
    fc.assert(
      fc.property(both, ([one, other]) => {
        expect(endOf(one)).toEqual(endOf(other));
      }),
    );
  });

  test("the version grows by one with each fact and by none with a repeat", () => {
    fc.assert(
      fc.property(fc.array(anyFact, { maxLength: 12 }), (facts) => {
        const order = applyAll([...facts, ...facts]);
        expect(order.version).toBe(new Set(facts.map(factIdOf)).size);
        expect(Object.values(order.facts).sort((a, b) => a - b)).toEqual(
          Array.from({ length: order.version }, (_, index) => index + 1),
        );
      }),
    );
  });

  test("the snapshot is one that the table's schema reads back", () => {
    fc.assert(
      fc.property(fc.array(anyFact, { maxLength: 12 }), (facts) => {
        const order = applyAll(facts);
        expect(orderSchema.parse(JSON.parse(JSON.stringify(order)))).toEqual(
          JSON.parse(JSON.stringify(order)),
        );
      }),
    );
  });
});

test("a known fact is not applied again", () => {
  const { order } = applyFact(emptyOrder(), paymentFact())!;
  expect(applyFact(order, paymentFact({ reason: "other words" }))).toBeUndefined();
});

test("a fact that does not move the order leaves the payment's details as they are", () => {
  const order = applyAll([paymentFact(), paymentFact({ status: "failed", reason: "declined" })]);
  expect(order.payment).toMatchObject({
    transactionId: "T1",
    completedAt: "2026-11-15T01:22:44.000Z",
  });
  expect(order.payment.reason).toBeUndefined();
  expect(order.flags).toContain("regressed");
});

test("flags that come from how a fact arrived are the fact's and the order's", () => {
  const applied = applyFact(emptyOrder({ expected }), paymentFact(), ["conflict"])!;
  expect(applied.flags).toEqual(["conflict"]);
  expect(applied.order.flags).toEqual(["conflict"]);
});

test("a second success is a duplicate payment only if it names another transaction", () => {
  const paid = applyFact(emptyOrder({ expected }), paymentFact())!.order;
  const flagsOf = (transactionId: string | undefined) =>
    applyFact(paid, paymentFact({ transactionId }))?.flags;
  expect(flagsOf("T1")).toBeUndefined();
  expect(flagsOf("T9")).toEqual(["regressed", "duplicatePayment"]);
  expect(flagsOf(undefined)).toEqual(["regressed"]);
});

describe("a refund's amount", () => {
  test("is in the currency of the payment, or else of the order that was created", () => {
    const inEuro = { value: "2.50", minor: "250", currency: "EUR" };
    expect(applyFact(applyAll([paymentFact()]), refundFact())!.amount).toEqual(inEuro);
    expect(applyFact(emptyOrder({ expected }), refundFact())!.amount).toEqual(inEuro);
  });

  test("has no currency while neither is known", () => {
    const { amount, order } = applyFact(emptyOrder(), refundFact())!;
    expect(amount).toEqual({ value: "2.5" });
    expect(order.refunds["R1"]).toMatchObject({ amount: { value: "2.5" } });
  });

  test("may be unknown, where the refund failed", () => {
    const fact = refundFact({ status: "refund_failed", amount: undefined });
    expect(applyFact(applyAll([paymentFact()]), fact)!.amount).toBeUndefined();
  });
});
