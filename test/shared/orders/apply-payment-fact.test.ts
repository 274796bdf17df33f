import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PaymentFact } from "../../../shared/facts/fact.ts";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import { type Order, orderSchema } from "../../../shared/orders/order.ts";
import { anOrder, expected, other, statusFact, successFact } from "./facts.ts";

const applyAll = (facts: readonly PaymentFact[], start = anOrder({ expected })): Order =>
  facts.reduce((order, fact) => applyPaymentFact(order, fact).aggregate, start);

const anyFact: fc.Arbitrary<PaymentFact> = fc
  .record({
    status: fc.constantFrom("confirming", "timeout", "failed", "success"),
    transactionId: fc.constantFrom("T1", "T2", undefined),
  })
  .map(({ status, transactionId }) =>
    status === "success" ? successFact({ transactionId }) : statusFact(status, { transactionId }),
  );

describe("whatever is told, in whatever order and however often", () => {
  test("an order ends the same", () => {
    const both = fc
      .array(anyFact, { maxLength: 12 })
      .chain((facts) =>
        fc.tuple(fc.constant(facts), fc.shuffledSubarray(facts, { minLength: facts.length })),
      );
    const endOf = (facts: readonly PaymentFact[]) => {
      const { status, sequence, successes } = applyAll(facts);
      return { status, sequence, payments: successes.length };
    };
    fc.assert(
      fc.property(both, ([one, shuffled]) => {
        expect(endOf(one)).toEqual(endOf(shuffled));
      }),
    );
  });

  test("the sequence grows by one with each fact and by none with a repeat", () => {
    fc.assert(
      fc.property(fc.array(anyFact, { maxLength: 12 }), (facts) => {
        const order = applyAll([...facts, ...facts]);
        expect(order.sequence).toBe(applyAll(facts).sequence);
        expect(Object.values(order.facts).sort((a, b) => a - b)).toEqual(
          Array.from({ length: order.sequence }, (_, index) => index + 1),
        );
      }),
    );
  });

  test("the aggregate is one that the table's schema reads back", () => {
    fc.assert(
      fc.property(fc.array(anyFact, { maxLength: 12 }), (facts) => {
        const stored = JSON.parse(JSON.stringify(applyAll(facts)));
        expect(orderSchema.parse(stored)).toEqual(stored);
      }),
    );
  });
});

describe("a fact that is known", () => {
  test("is not news, and changes nothing", () => {
    const order = applyAll([successFact()]);
    const again = applyPaymentFact(order, successFact({ reason: "other words" }));
    expect(again).toMatchObject({ kind: "known", flags: [] });
    expect(again.aggregate).toBe(order);
    for (const fact of [successFact({ transactionId: undefined }), statusFact("timeout")]) {
      const first = applyPaymentFact(anOrder({ expected }), fact);
      const second = applyPaymentFact(first.aggregate, fact);
      expect(second.factId).toBe(first.factId);
      expect(second.aggregate).toBe(first.aggregate);
    }
  });

  test("with another amount is a mismatch", () => {
    const elsewhere = applyAll([successFact()], anOrder());
    expect(applyPaymentFact(elsewhere, successFact({ amount: other })).flags).toEqual(["mismatch"]);
    const again = applyPaymentFact(applyAll([successFact()]), successFact({ amount: other }));
    expect(again).toMatchObject({ kind: "known", flags: ["mismatch"] });
    expect(again.aggregate.flags).toEqual(["mismatch"]);
  });

  test("keeps the flags of how it arrived", () => {
    const again = applyPaymentFact(applyAll([successFact()]), successFact(), ["conflict"]);
    expect(again).toMatchObject({ kind: "known", flags: ["conflict"] });
    expect(again.aggregate.flags).toEqual(["conflict"]);
  });
});

describe("the amount", () => {
  test("is held against the order where money moved", () => {
    const { flags } = applyPaymentFact(anOrder({ expected }), successFact({ amount: other }));
    expect(flags).toEqual(["mismatch"]);
  });

  test("of a timeout or failure says nothing: no money moved", () => {
    const nothing = { value: "0.00", minor: "0", currency: "EUR" };
    for (const status of ["confirming", "timeout", "failed"] as const) {
      const fact = statusFact(status, { amount: nothing });
      expect(applyPaymentFact(anOrder({ expected }), fact).flags, status).toEqual([]);
    }
  });
});

test("a fact that does not move the order leaves its details as they are", () => {
  const order = applyAll([successFact(), statusFact("failed", { reason: "declined" })]);
  expect(order.status).toBe("success");
  expect(order.payment).toMatchObject({ transactionId: "T1" });
  expect(order.payment.reason).toBeUndefined();
  expect(order.flags).toEqual(["regressed"]);
});

test("money that comes in after a timeout or a failure is taken, and flagged as late", () => {
  for (const status of ["timeout", "failed"] as const) {
    const applied = applyPaymentFact(applyAll([statusFact(status)]), successFact());
    expect(applied.aggregate.status).toBe("success");
    expect(applied.flags).toEqual(["late"]);
  }
});

test("an order that nobody created here is flagged as unknown", () => {
  expect(applyPaymentFact(anOrder(), successFact()).flags).toEqual(["unknownOrder"]);
});

test("what could not be read of a fact is among its flags", () => {
  const fact = successFact({ noted: ["unreadableTime"] });
  expect(applyPaymentFact(anOrder({ expected }), fact).flags).toEqual(["unreadableTime"]);
});

describe("a success and its transaction", () => {
  const untold = successFact({ transactionId: undefined });

  test("told only later are one fact, and the transaction is learned", () => {
    const told = applyPaymentFact(applyAll([untold]), successFact());
    expect(told).toMatchObject({ kind: "known", flags: [] });
    expect(told.aggregate.payment.transactionId).toBe("T1");
    expect(told.aggregate.successes).toMatchObject([{ transactionId: "T1" }]);
  });

  test("told first are one fact with a success that names none", () => {
    expect(applyPaymentFact(applyAll([successFact()]), untold)).toMatchObject({ kind: "known" });
    const differs = applyPaymentFact(applyAll([untold]), { ...untold, amount: other });
    expect(differs).toMatchObject({ kind: "known", flags: ["mismatch"] });
  });

  test("are two payments if the amounts differ", () => {
    const differs = applyPaymentFact(applyAll([untold]), successFact({ amount: other }));
    expect(differs.kind).toBe("news");
    expect(differs.flags).toEqual(["regressed", "duplicatePayment", "mismatch"]);
  });

  test("are two payments if they are known to be of different attempts", () => {
    const first = successFact({ transactionId: undefined, createdAtMilliseconds: 1 });
    const second = successFact({ createdAtMilliseconds: 2 });
    const applied = applyPaymentFact(applyAll([first]), second);
    expect(applied.kind).toBe("news");
    expect(applied.flags).toContain("duplicatePayment");
  });

  test("missing in both are two facts with two ids if the attempts are known to differ", () => {
    const first = successFact({ transactionId: undefined, createdAtMilliseconds: 1 });
    const second = successFact({ transactionId: undefined, createdAtMilliseconds: 2 });
    const order = applyAll([first, second]);
    expect(order.sequence).toBe(2);
    expect(applyPaymentFact(order, second).kind).toBe("known");
  });

  test("another one is a second payment, also after one that was told late", () => {
    const paid = applyAll([untold, successFact()]);
    const second = applyPaymentFact(paid, successFact({ transactionId: "T2" }));
    expect(second.flags).toEqual(["regressed", "duplicatePayment"]);
    expect(second.aggregate.payment.transactionId).toBe("T1");
    expect(second.aggregate.successes.map((one) => one.transactionId)).toEqual(["T1", "T2"]);
  });

  test("belong together by the amount where two have none", () => {
    const first = { ...untold, createdAtMilliseconds: 1 };
    const second = { ...untold, createdAtMilliseconds: 2, amount: other };
    const order = applyAll([first, second], anOrder());
    expect(applyPaymentFact(order, { ...untold, amount: other })).toMatchObject({
      kind: "known",
      flags: [],
    });
    const told = applyAll([successFact({ transactionId: "T2", amount: other })], order);
    expect(told.successes.map((one) => one.transactionId)).toEqual([undefined, "T2"]);
    expect(told.payment.transactionId).toBeUndefined();
  });
});

describe.each(["confirming", "timeout", "failed"] as const)("%s and its transaction", (status) => {
  const told = statusFact(status);
  const untold = statusFact(status, { transactionId: undefined });
  const asked = statusFact(status, {
    transactionId: undefined,
    origin: "query",
    paymentId: "P1",
    createdAtMilliseconds: undefined,
  });

  test.each([
    ["told only later", [untold, told]],
    ["told first", [told, untold]],
    ["told by a callback and not by a query", [told, asked]],
    ["told by a callback after a query", [asked, told]],
  ])("%s, are one fact with one event", (_name, facts) => {
    const order = applyAll(facts);
    expect(order.sequence).toBe(1);
    expect(order.payment.transactionId).toBe("T1");
    expect(applyAll([...facts, ...facts])).toEqual(order);
  });

  test("are one fact also after the order has moved on", () => {
    const order = applyAll([untold, successFact(), told]);
    expect(order.sequence).toBe(2);
    expect(order.payment).toMatchObject({ transactionId: "T1", amount: expected });
    const success = successFact({ transactionId: undefined });
    expect(applyAll([untold, success, told]).payment.transactionId).toBeUndefined();
    const settled = applyAll([untold]);
    expect(applyPaymentFact(settled, untold).aggregate).toBe(settled);
  });

  test("are a second fact with another transaction", () => {
    const second = statusFact(status, { transactionId: "T2" });
    for (const facts of [
      [untold, told, second],
      [second, told, untold],
      [told, second, untold],
    ]) {
      expect(applyAll(facts).sequence).toBe(2);
    }
  });

  test("are two facts with two ids if they are known to be of different attempts", () => {
    const first = statusFact(status, { transactionId: undefined, createdAtMilliseconds: 1 });
    const second = statusFact(status, { createdAtMilliseconds: 2 });
    const order = applyAll([first, second, first, second]);
    expect(order.sequence).toBe(2);
    expect(Object.keys(order.facts)).toHaveLength(2);
  });
});

test("a payment id that a query was about is kept, once", () => {
  const fact = successFact({ origin: "query", paymentId: "P7" });
  expect(applyAll([statusFact("confirming", { paymentId: "P7" }), fact]).paymentIds).toEqual([
    "P7",
  ]);
});
