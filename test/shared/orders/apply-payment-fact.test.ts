import { describe, expect, test } from "vitest";
import { type PaymentFact, paymentFactId } from "../../../shared/facts/fact.ts";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import type { Order } from "../../../shared/orders/order.ts";
import { anOrder, expected, other, statusFact, successFact } from "./facts.ts";

const applyAll = (facts: readonly PaymentFact[], start = anOrder({ expected })): Order =>
  facts.reduce((order, fact) => applyPaymentFact(order, fact).aggregate, start);

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

test("a fact that does not move the order leaves its details as they are", () => {
  const order = applyAll([successFact(), statusFact("failed", { reason: "declined" })]);
  expect(order.status).toBe("success");
  expect(order.payment).toMatchObject({ transactionId: "T1" });
  expect(order.payment.reason).toBeUndefined();
  expect(order.flags).toEqual(["regressed"]);
});

const nothing = { value: "0.00", minor: "0", currency: "EUR" };

test.each<[what: string, before: Order, fact: PaymentFact, flags: string[]]>([
  ["a success of another amount", applyAll([]), successFact({ amount: other }), ["mismatch"]],
  ["a timeout that names an amount", applyAll([]), statusFact("timeout", { amount: nothing }), []],
  ["a failure that names an amount", applyAll([]), statusFact("failed", { amount: other }), []],
  ["a step that names an amount", applyAll([]), statusFact("confirming", { amount: other }), []],
  ["a success after a timeout", applyAll([statusFact("timeout")]), successFact(), ["late"]],
  ["a success after a failure", applyAll([statusFact("failed")]), successFact(), ["late"]],
  ["an order that nobody created here", anOrder(), successFact(), ["unknownOrder"]],
  [
    "what could not be read",
    applyAll([]),
    successFact({ noted: ["unreadableTime"] }),
    ["unreadableTime"],
  ],
])("%s moves the order, and has its flags", (_what, before, fact, flags) => {
  const applied = applyPaymentFact(before, fact);
  expect(applied.flags).toEqual(flags);
  expect(applied.aggregate.status).toBe(fact.status);
});

describe("a success and its transaction", () => {
  const unreported = successFact({ transactionId: undefined });

  test("reported only later are one fact, and the transaction is learned", () => {
    const applied = applyPaymentFact(applyAll([unreported]), successFact());
    expect(applied).toMatchObject({ kind: "known", flags: [] });
    expect(applied.aggregate.payment.transactionId).toBe("T1");
    expect(applied.aggregate.successes).toMatchObject([{ transactionId: "T1" }]);
  });

  test("have the id of the fact alone, whatever is known of the attempt", () => {
    const ofAttempt = successFact({ createdAtMilliseconds: 1 });
    const first = applyPaymentFact(anOrder({ expected }), ofAttempt);
    expect(first.factId).toBe(paymentFactId(ofAttempt));
    expect(applyPaymentFact(first.aggregate, ofAttempt).factId).toBe(first.factId);
  });

  test("reported first are one fact with a success that names none", () => {
    expect(applyPaymentFact(applyAll([successFact()]), unreported)).toMatchObject({
      kind: "known",
    });
    const differs = applyPaymentFact(applyAll([unreported]), { ...unreported, amount: other });
    expect(differs).toMatchObject({ kind: "known", flags: ["mismatch"] });
  });

  test("are two payments if the amounts differ", () => {
    const differs = applyPaymentFact(applyAll([unreported]), successFact({ amount: other }));
    expect(differs.kind).toBe("news");
    expect(differs.flags).toEqual(["regressed", "duplicatePayment", "mismatch"]);
  });

  test("missing in both are two facts with two ids if the attempts are known to differ", () => {
    const first = successFact({ transactionId: undefined, createdAtMilliseconds: 1 });
    const second = successFact({ transactionId: undefined, createdAtMilliseconds: 2 });
    const order = applyAll([first, second]);
    expect(order.sequence).toBe(2);
    expect(applyPaymentFact(order, second).kind).toBe("known");
  });

  test("another one is a second payment, even after one that was reported late", () => {
    const paid = applyAll([unreported, successFact()]);
    const second = applyPaymentFact(paid, successFact({ transactionId: "T2" }));
    expect(second.flags).toEqual(["regressed", "duplicatePayment"]);
    expect(second.aggregate.payment.transactionId).toBe("T1");
    expect(second.aggregate.successes.map((success) => success.transactionId)).toEqual([
      "T1",
      "T2",
    ]);
  });

  test("belong together by the amount where two have none", () => {
    const first = { ...unreported, createdAtMilliseconds: 1 };
    const second = { ...unreported, createdAtMilliseconds: 2, amount: other };
    const order = applyAll([first, second], anOrder());
    expect(applyPaymentFact(order, { ...unreported, amount: other })).toMatchObject({
      kind: "known",
      flags: [],
    });
    const applied = applyAll([successFact({ transactionId: "T2", amount: other })], order);
    expect(applied.successes.map((success) => success.transactionId)).toEqual([undefined, "T2"]);
    expect(applied.payment.transactionId).toBeUndefined();
  });
});

describe.each(["confirming", "timeout", "failed"] as const)("%s and its transaction", (status) => {
  const fact = statusFact(status);
  const unreported = statusFact(status, { transactionId: undefined });
  const asked = statusFact(status, {
    transactionId: undefined,
    origin: "query",
    paymentId: "P1",
    createdAtMilliseconds: undefined,
  });

  test.each([
    ["reported only later", [unreported, fact]],
    ["reported first", [fact, unreported]],
    ["reported by a callback and not by a query", [fact, asked]],
    ["reported by a callback after a query", [asked, fact]],
  ])("%s, are one fact with one event", (_name, facts) => {
    const order = applyAll(facts);
    expect(order.sequence).toBe(1);
    expect(order.payment.transactionId).toBe("T1");
    expect(applyAll([...facts, ...facts])).toEqual(order);
  });

  test("are one fact also after the order has moved on", () => {
    const order = applyAll([unreported, successFact(), fact]);
    expect(order.sequence).toBe(2);
    expect(order.payment).toMatchObject({ transactionId: "T1", amount: expected });
    const success = successFact({ transactionId: undefined });
    expect(applyAll([unreported, success, fact]).payment.transactionId).toBeUndefined();
    const settled = applyAll([unreported]);
    expect(applyPaymentFact(settled, unreported).aggregate).toBe(settled);
  });

  test("are a second fact with another transaction", () => {
    const second = statusFact(status, { transactionId: "T2" });
    for (const facts of [
      [unreported, fact, second],
      [second, fact, unreported],
      [fact, second, unreported],
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
