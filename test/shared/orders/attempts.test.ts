import { describe, expect, test } from "vitest";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import { endCreation } from "../../../shared/orders/creation.ts";
import { anAttempt, anOrder, expected, statusFact, successFact } from "./facts.ts";

const firstTime = 1_794_705_000_000;
const secondTime = 1_794_705_060_000;
const lost = anAttempt({
  attemptId: "one",
  state: "unknown",
  paymentTimeMilliseconds: firstTime,
});
const live = anAttempt({
  attemptId: "two",
  state: "created",
  paymentId: "P2",
  paymentTimeMilliseconds: secondTime,
});
const repeated = anOrder({ expected, attempts: [lost, live], paymentIds: ["P2"] });

describe("an order that was sent again after a lost answer", () => {
  test.each(["timeout", "failed", "confirming"] as const)(
    "is not ended by the first attempt's %s, which is published all the same",
    (status) => {
      const fact = statusFact(status, { createdAtMilliseconds: firstTime });
      const applied = applyPaymentFact(repeated, fact);
      expect(applied).toMatchObject({ kind: "news", flags: ["otherAttempt"] });
      expect(applied.aggregate).toMatchObject({ status: "pending", sequence: 1 });
    },
  );

  test("is ended by the live attempt, though the same words were told of the first", () => {
    const early = statusFact("timeout", { createdAtMilliseconds: firstTime });
    const { aggregate } = applyPaymentFact(repeated, early);
    const end = statusFact("timeout", { createdAtMilliseconds: secondTime });
    const ended = applyPaymentFact(aggregate, end);
    expect(ended).toMatchObject({ kind: "news", flags: [] });
    expect(ended.aggregate).toMatchObject({ status: "timeout", sequence: 2 });
    expect(applyPaymentFact(ended.aggregate, early).kind).toBe("known");
    expect(applyPaymentFact(ended.aggregate, end).kind).toBe("known");
  });

  test("is not ended by words that name no time: they may be about either", () => {
    const applied = applyPaymentFact(repeated, statusFact("timeout"));
    expect(applied.aggregate.status).toBe("pending");
    expect(applied.flags).toEqual(["otherAttempt"]);
  });

  test("is paid by a success of either attempt", () => {
    const fact = successFact({ createdAtMilliseconds: firstTime });
    const applied = applyPaymentFact(repeated, fact);
    expect(applied.aggregate.status).toBe("success");
    expect(applied.flags).toEqual(["otherAttempt"]);
  });

  test("was paid twice if both succeed", () => {
    const one = successFact({ createdAtMilliseconds: firstTime });
    const two = successFact({ createdAtMilliseconds: secondTime, transactionId: "T2" });
    const { aggregate } = applyPaymentFact(repeated, one);
    expect(applyPaymentFact(aggregate, two).flags).toContain("duplicatePayment");
  });

  test("follows a query about the live payment, whatever time it names", () => {
    const fact = statusFact("timeout", { origin: "query", paymentId: "P2" });
    expect(applyPaymentFact(repeated, fact).aggregate.status).toBe("timeout");
  });
});

describe("an order with one attempt", () => {
  test("follows it, whatever time a callback names", () => {
    const order = anOrder({ expected, attempts: [live] });
    const fact = statusFact("timeout", { createdAtMilliseconds: 1 });
    expect(applyPaymentFact(order, fact)).toMatchObject({ flags: [], kind: "news" });
  });

  test("that the service refused is applied all the same, and flagged", () => {
    const order = anOrder({ expected, attempts: [{ ...live, state: "refused" }] });
    const applied = applyPaymentFact(order, successFact());
    expect(applied.aggregate.status).toBe("success");
    expect(applied.flags).toEqual(["refusedOrder"]);
  });
});

describe("an order with a refused attempt and a live one", () => {
  const order = anOrder({ expected, attempts: [{ ...lost, state: "refused" }, live] });

  test("follows the live one where a callback does not say which", () => {
    expect(applyPaymentFact(order, statusFact("timeout")).aggregate.status).toBe("timeout");
  });

  test("is not ended by the refused one", () => {
    const fact = statusFact("timeout", { createdAtMilliseconds: firstTime });
    const applied = applyPaymentFact(order, fact);
    expect(applied.aggregate.status).toBe("pending");
    expect(applied.flags).toEqual(["otherAttempt"]);
  });
});

test("the latest attempt being refused, an order follows the one before", () => {
  const order = anOrder({ expected, attempts: [lost, { ...live, state: "refused" }] });
  const fact = statusFact("timeout", { createdAtMilliseconds: firstTime });
  expect(applyPaymentFact(order, fact).aggregate.status).toBe("timeout");
});

describe("a timeout of an earlier attempt, and the refusal of the later one", () => {
  const sending = { ...live, attemptId: "two", state: "sending", paymentId: undefined } as const;
  const order = anOrder({ expected, attempts: [lost, sending] });
  const timeout = statusFact("timeout", { createdAtMilliseconds: firstTime });

  test("end in the same status, whichever comes first", () => {
    const told = applyPaymentFact(order, timeout).aggregate;
    expect(told.status).toBe("pending");
    const callbackFirst = endCreation(told, "two", { state: "refused" });
    const refusalFirst = applyPaymentFact(
      endCreation(order, "two", { state: "refused" }),
      timeout,
    ).aggregate;
    expect([callbackFirst.status, refusalFirst.status]).toEqual(["timeout", "timeout"]);
  });

  test("are one fact: told again after the refusal it is known", () => {
    const told = applyPaymentFact(order, timeout).aggregate;
    const refused = endCreation(told, "two", { state: "refused" });
    expect(applyPaymentFact(refused, timeout).kind).toBe("known");
  });
});

describe("one attempt whose success is told by a callback and by a query", () => {
  const order = anOrder({ expected, attempts: [live] });
  const byCallback = successFact({ transactionId: undefined, createdAtMilliseconds: secondTime });
  const byQuery = successFact({
    origin: "query",
    paymentId: "P2",
    createdAtMilliseconds: secondTime + 42_000,
  });

  test("is one payment, though the two name different times", () => {
    const { aggregate } = applyPaymentFact(order, byCallback);
    const again = applyPaymentFact(aggregate, byQuery);
    expect(again).toMatchObject({ kind: "known", flags: [] });
    expect(again.aggregate.payment.transactionId).toBe("T1");
  });

  test("is two payments if the query is about another attempt", () => {
    const { aggregate } = applyPaymentFact({ ...order, attempts: [lost, live] }, byCallback);
    const other = anOrder({ ...aggregate, attempts: [{ ...lost, paymentId: "P1" }, live] });
    const again = applyPaymentFact(other, { ...byQuery, paymentId: "P1" });
    expect(again.flags).toContain("duplicatePayment");
  });
});

describe("attempts with the same payment time, because the caller sent it", () => {
  const first = { ...lost, attemptId: "one" };
  const second = {
    ...live,
    attemptId: "two",
    paymentId: undefined,
    paymentTimeMilliseconds: firstTime,
  };
  const timeout = statusFact("timeout", { createdAtMilliseconds: firstTime });

  test("a fact is about the one that the service did not refuse", () => {
    const order = anOrder({ expected, attempts: [first, { ...second, state: "refused" }] });
    const applied = applyPaymentFact(order, timeout);
    expect(applied.flags).toEqual([]);
    expect(applied.aggregate.status).toBe("timeout");
    expect(applyPaymentFact(applied.aggregate, timeout).kind).toBe("known");
  });
});

describe("whether a fact or the refusal of another attempt comes first, the order ends the same", () => {
  const sending = { ...live, attemptId: "two", state: "sending", paymentId: undefined } as const;
  const refuse = (order: ReturnType<typeof anOrder>) =>
    endCreation(order, "two", { state: "refused" });
  const cases = {
    "of the earlier attempt": [[lost, sending], { createdAtMilliseconds: firstTime }],
    "that names no time": [[lost, sending], {}],
    "of an attempt that was refused before": [
      [{ ...lost, state: "refused" as const }, sending],
      { createdAtMilliseconds: firstTime },
    ],
  } as const;

  test.each(Object.entries(cases))("a failure %s", (_name, [attempts, told]) => {
    const order = anOrder({ expected, attempts: [...attempts] });
    const failed = statusFact("failed", told);
    const factFirst = refuse(applyPaymentFact(order, failed).aggregate);
    const refusalFirst = applyPaymentFact(refuse(order), failed).aggregate;
    expect([factFirst.status, refusalFirst.status]).toEqual(["failed", "failed"]);
  });
});

test("a fact of another attempt that a callback and a query tell with different times has one id", () => {
  const order = anOrder({ expected, attempts: [{ ...lost, paymentId: "P1" }, live] });
  const byCallback = statusFact("timeout", { createdAtMilliseconds: firstTime });
  const byQuery = statusFact("timeout", {
    origin: "query",
    paymentId: "P1",
    createdAtMilliseconds: firstTime + 42_000,
  });
  const { aggregate } = applyPaymentFact(order, byCallback);
  expect(applyPaymentFact(aggregate, byQuery).kind).toBe("known");
});

test("successes without a transaction and with different amounts never share an id", () => {
  const cents = (minor: string) => ({ value: minor, minor, currency: "EUR" });
  const success = (minor: string, transactionId?: string) =>
    successFact({ amount: cents(minor), transactionId });
  const told = [
    success("10"),
    success("10", "T1"),
    success("20"),
    success("20", "T2"),
    success("30"),
  ];
  const ids: string[] = [];
  told.reduce((order, fact) => {
    const applied = applyPaymentFact(order, fact);
    if (applied.kind === "news") ids.push(applied.factId);
    return applied.aggregate;
  }, anOrder({ expected }));
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(3);
});
