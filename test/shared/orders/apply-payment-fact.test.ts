import { describe, expect, test } from "vitest";
import { type PaymentFact, paymentFactId, type SuccessFact } from "../../../shared/facts/fact.ts";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import type { Order } from "../../../shared/orders/order.ts";
import { anAttempt, anOrder, expected, other, statusFact, successFact } from "./facts.ts";

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

  test("keeps the flags of how it arrived", () => {
    const again = applyPaymentFact(applyAll([successFact()]), successFact(), {
      noted: ["conflict"],
    });
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
  ["a step that names no amount", applyAll([]), statusFact("confirming"), []],
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
    expect(differs).toMatchObject({ kind: "known", flags: ["contradicted"] });
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

describe("a fact that is reported again with another amount", () => {
  const dollars = { ...expected, currency: "USD" };

  test.each([
    ["another amount", other],
    ["another currency", dollars],
  ])("is not published again, and its order is flagged: a success with %s", (_case, amount) => {
    const first = applyPaymentFact(anOrder(), successFact()).aggregate;
    const again = applyPaymentFact(first, successFact({ amount }));
    expect(again).toMatchObject({ kind: "known", flags: ["contradicted"] });
    expect(again.aggregate).toMatchObject({ sequence: 1, flags: ["contradicted", "unknownOrder"] });
    expect(again.aggregate.successes).toEqual(first.successes);
    expect(applyPaymentFact(again.aggregate, successFact({ amount })).aggregate).toBe(
      again.aggregate,
    );
    const next = applyPaymentFact(again.aggregate, statusFact("failed"));
    expect(next.aggregate.flags).toContain("contradicted");
  });

  test.each(["confirming", "timeout", "failed"] as const)(
    "is not published again, and its order is flagged: %s",
    (status) => {
      const first = applyPaymentFact(anOrder(), statusFact(status, { amount: expected })).aggregate;
      const again = applyPaymentFact(first, statusFact(status, { amount: dollars }));
      expect(again).toMatchObject({ kind: "known", flags: ["contradicted"] });
      const bare = applyPaymentFact(first, statusFact(status));
      expect(bare.aggregate).toBe(first);
      // The first report may name no amount, and the second one may.
      const unnamed = applyPaymentFact(anOrder(), statusFact(status)).aggregate;
      const named = applyPaymentFact(unnamed, statusFact(status, { amount: expected }));
      expect(named).toMatchObject({ kind: "known", flags: [] });
      expect(named.aggregate.payment.amount).toEqual(expected);
      const third = applyPaymentFact(named.aggregate, statusFact(status, { amount: dollars }));
      expect(third.flags).toEqual(["contradicted"]);
    },
  );

  test("is not published either after the success has learned its transaction", () => {
    const unnamed = successFact({ transactionId: undefined });
    const contradiction = { ...unnamed, amount: other };
    const facts = [unnamed, contradiction, successFact(), contradiction];
    const order = facts.reduce(
      (before, fact) => applyPaymentFact(before, fact).aggregate,
      anOrder(),
    );
    expect(order).toMatchObject({ sequence: 1, successes: [{ transactionId: "T1" }] });
    expect(order.flags).toEqual(["contradicted", "unknownOrder"]);
  });

  test("is not published either if that was the second of two attempts", () => {
    const attempts = [1_000, 2_000].map((paymentTimeMilliseconds) =>
      anAttempt({ paymentTimeMilliseconds, state: "unknown" }),
    );
    const at = (createdAtMilliseconds: number, fields: Partial<SuccessFact> = {}) =>
      successFact({ transactionId: undefined, createdAtMilliseconds, ...fields });
    const contradiction = at(2_000, { amount: other });
    const facts = [at(1_000), at(2_000), contradiction, at(2_000, { transactionId: "T2" })];
    let order = anOrder({ expected, attempts });
    const kinds = [...facts, contradiction].map((fact) => {
      const applied = applyPaymentFact(order, fact);
      order = applied.aggregate;
      return applied.kind;
    });
    expect(kinds).toEqual(["news", "news", "known", "known", "known"]);
  });

  test("has this flag alone, also if the amount is not the order's", () => {
    const first = applyPaymentFact(anOrder({ expected }), successFact()).aggregate;
    const again = applyPaymentFact(first, successFact({ amount: other }));
    expect(again.flags).toEqual(["contradicted"]);
  });
});

describe("the amount of an order that is being paid", () => {
  test("is a mismatch if it is not the order's", () => {
    const order = anOrder({ expected });
    const flagsOf = (amount: typeof expected | undefined, status: "confirming" | "failed") =>
      applyPaymentFact(order, statusFact(status, { amount })).flags;
    expect(flagsOf(other, "confirming")).toEqual(["mismatch"]);
    expect(flagsOf({ ...expected, currency: "USD" }, "confirming")).toEqual(["mismatch"]);
    expect(flagsOf(expected, "confirming")).toEqual([]);
    expect(flagsOf(undefined, "confirming")).toEqual([]);
    // Nothing is paid any more.
    expect(flagsOf(other, "failed")).toEqual([]);
  });

  test("is a mismatch, too, if only a further report names it", () => {
    const order = applyPaymentFact(anOrder({ expected }), statusFact("confirming")).aggregate;
    const again = applyPaymentFact(order, statusFact("confirming", { amount: other }));
    expect(again).toMatchObject({ kind: "known", flags: ["mismatch"] });
    expect(again.aggregate.flags).toEqual(["mismatch"]);
  });
});
