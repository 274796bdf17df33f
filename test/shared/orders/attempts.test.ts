import { describe, expect, test } from "vitest";
import type { PaymentFact } from "../../../shared/facts/fact.ts";
import type { AppliedFact } from "../../../shared/orders/applied-fact.ts";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import { endCreation } from "../../../shared/orders/creation.ts";
import type { Attempt, Order } from "../../../shared/orders/order.ts";
import { aCreation, anAttempt, anOrder, expected, statusFact, successFact } from "./facts.ts";

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
const sending = { ...live, state: "sending", paymentId: undefined } as const;
const refused = { state: "refused" } as const;
const lostRefused = { ...lost, ...refused };
const liveRefused = { ...live, ...refused };
/** Its payment time is the first one's, because the caller sent it. */
const refusedAtSameTime = { ...sending, ...refused, paymentTimeMilliseconds: firstTime };
const sent = (attempts: Attempt[]) =>
  anOrder({ expected, attempts, creation: aCreation(0), state: { kind: "outcome-unknown" } });
const repeated = anOrder({ expected, attempts: [lost, live], paymentIds: ["P2"] });

const ofFirst = { createdAtMilliseconds: firstTime };
const ofSecond = { createdAtMilliseconds: secondTime };
const timeout = statusFact("timeout");
const timeoutOfFirst = statusFact("timeout", ofFirst);
const timeoutAtOddTime = statusFact("timeout", { createdAtMilliseconds: 1 });
const answerAboutLive = statusFact("timeout", { origin: "query", paymentId: "P2" });
const otherAttempt = ["otherAttempt"];

type Row = [what: string, attempts: Attempt[], fact: PaymentFact, status: string, flags: string[]];

describe("every fact is published once, and the order's status follows its live attempt:", () => {
  test.each<Row>([
    ["timeout of the first", [lost, live], timeoutOfFirst, "pending", otherAttempt],
    ["failure of the first", [lost, live], statusFact("failed", ofFirst), "pending", otherAttempt],
    ["first confirms", [lost, live], statusFact("confirming", ofFirst), "pending", otherAttempt],
    ["timeout of either, without a time", [lost, live], timeout, "pending", otherAttempt],
    ["success of the first", [lost, live], successFact(ofFirst), "success", otherAttempt],
    ["query about the live payment", [lost, live], answerAboutLive, "timeout", []],
    ["only attempt, at an odd time", [live], timeoutAtOddTime, "timeout", []],
    ["success of a refused order", [liveRefused], successFact(), "success", ["refusedOrder"]],
    ["timeout without a time, first refused", [lostRefused, live], timeout, "timeout", []],
    ["timeout of a refused first", [lostRefused, live], timeoutOfFirst, "pending", otherAttempt],
    ["timeout of the first, latest refused", [lost, liveRefused], timeoutOfFirst, "timeout", []],
    ["one of two at a time refused", [lost, refusedAtSameTime], timeoutOfFirst, "timeout", []],
  ])("%s", (_what, attempts, fact, status, flags) => {
    const applied = applyPaymentFact({ ...repeated, attempts }, fact);
    expect(applied).toMatchObject({ kind: "news", flags });
    expect(applied.aggregate).toMatchObject({ status, sequence: 1 });
    expect(applyPaymentFact(applied.aggregate, fact).kind).toBe("known");
  });
});

describe("an order that was sent again after a lost response", () => {
  test("is ended by the live attempt, though the same words were reported for the first", () => {
    const early = timeoutOfFirst;
    const { aggregate } = applyPaymentFact(repeated, early);
    const end = statusFact("timeout", ofSecond);
    const ended = applyPaymentFact(aggregate, end);
    expect(ended).toMatchObject({ kind: "news", flags: [] });
    expect(ended.aggregate).toMatchObject({ status: "timeout", sequence: 2 });
    expect(applyPaymentFact(ended.aggregate, early).kind).toBe("known");
    expect(applyPaymentFact(ended.aggregate, end).kind).toBe("known");
    const other = applyPaymentFact(applyPaymentFact(repeated, end).aggregate, early);
    expect(other).toMatchObject({ kind: "news", flags: otherAttempt });
  });

  test("does not take the transaction that is reported later for the first", () => {
    const ends = [ofFirst, ofSecond].map((of) =>
      statusFact("timeout", { ...of, transactionId: undefined }),
    );
    const ended = ends.reduce((order, fact) => applyPaymentFact(order, fact).aggregate, repeated);
    const { aggregate } = applyPaymentFact(ended, timeoutOfFirst);
    expect(aggregate.statements).toMatchObject([{ transactionId: "T1" }, { status: "timeout" }]);
    expect(aggregate.payment.transactionId).toBeUndefined();
  });

  test("was paid once if nothing distinguishes the two successes", () => {
    const first = successFact({ ...ofFirst, transactionId: undefined });
    const { aggregate } = applyPaymentFact(repeated, first);
    const untraced = successFact({ createdAtMilliseconds: undefined });
    expect(applyPaymentFact(aggregate, untraced).kind).toBe("known");
  });
});

describe("one attempt whose success is reported by a callback and by a query", () => {
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

describe("whether a fact or the refusal of another attempt comes first, the order ends the same", () => {
  const refuse = (order: Order) => endCreation(order, "two", refused);

  test.each([
    ["a timeout of the earlier attempt", "timeout", [lost, sending], ofFirst],
    ["a failure of the earlier attempt", "failed", [lost, sending], ofFirst],
    ["a failure that names no time", "failed", [lost, sending], {}],
    ["a failure of an attempt that was refused before", "failed", [lostRefused, sending], ofFirst],
  ] as const)("%s", (_case, status, attempts, facts) => {
    const order = sent([...attempts]);
    const fact = statusFact(status, facts);
    const factFirst = applyPaymentFact(order, fact).aggregate;
    const refusalFirst = applyPaymentFact(refuse(order), fact).aggregate;
    expect(factFirst.status).toBe("pending");
    expect([refuse(factFirst).status, refusalFirst.status]).toEqual([status, status]);
    expect(applyPaymentFact(refuse(factFirst), fact).kind).toBe("known");
  });
});

test.each([[["confirming", "timeout"]], [["timeout", "confirming"]]] as const)(
  "of %j of an earlier attempt, the last stage counts after the refusal",
  (reported) => {
    const third = anAttempt({ attemptId: "zero", state: "unknown", paymentTimeMilliseconds: 7 });
    const start = sent([lost, third, sending]);
    const order = reported
      .map((status) => statusFact(status, { ...ofFirst, transactionId: status }))
      .reduce((before, fact) => applyPaymentFact(before, fact).aggregate, start);
    const followsThird = endCreation(order, "two", refused);
    expect(followsThird.status).toBe("pending");
    expect(endCreation(followsThird, "zero", refused).status).toBe("timeout");
  },
);

test("a fact of another attempt that a callback and a query report with different times has one id", () => {
  const order = anOrder({ expected, attempts: [{ ...lost, paymentId: "P1" }, live] });
  const byCallback = statusFact("timeout", ofFirst);
  const byQuery = statusFact("timeout", {
    origin: "query",
    paymentId: "P1",
    createdAtMilliseconds: firstTime + 42_000,
  });
  const { aggregate } = applyPaymentFact(order, byCallback);
  expect(applyPaymentFact(aggregate, byQuery).kind).toBe("known");
});

describe("a payment time without milliseconds", () => {
  const second = 1_794_705_765;
  const inSeconds = { createdAtMilliseconds: second * 1_000, isCreatedAtWholeSecond: true };
  const exactly = (milliseconds: number) => ({
    createdAtMilliseconds: second * 1_000 + milliseconds,
    isCreatedAtWholeSecond: false,
  });
  const sentAt = (attempt: Attempt, milliseconds: number) => ({
    ...attempt,
    paymentTimeMilliseconds: second * 1_000 + milliseconds,
  });

  test.each([
    ["the first millisecond of", 0],
    ["the middle of", 123],
    ["the last millisecond of", 999],
  ])("is that of the attempt that was sent in %s its second", (_case, milliseconds) => {
    const order = { ...repeated, attempts: [lost, sentAt(live, milliseconds)] };
    const ended = applyPaymentFact(order, statusFact("timeout", inSeconds));
    expect(ended).toMatchObject({ kind: "news", flags: [], aggregate: { status: "timeout" } });
    const again = statusFact("timeout", exactly(milliseconds));
    expect(applyPaymentFact(ended.aggregate, again).kind).toBe("known");
  });

  test.each([-1, 1_000])("is not that of an attempt %i ms from its beginning", (distance) => {
    const order = { ...repeated, attempts: [sentAt(lost, 500), sentAt(live, distance)] };
    const other = applyPaymentFact(order, statusFact("timeout", inSeconds));
    expect(other).toMatchObject({ flags: otherAttempt, aggregate: { status: "pending" } });
  });

  test("does not end the order if two attempts were sent in that second", () => {
    const order = { ...repeated, attempts: [sentAt(lost, 100), sentAt(live, 900)] };
    const unclear = statusFact("timeout", { ...inSeconds, transactionId: undefined });
    const applied = applyPaymentFact(order, unclear);
    expect(applied).toMatchObject({ flags: otherAttempt, aggregate: { status: "pending" } });
    const end = statusFact("timeout", { ...exactly(900), transactionId: undefined });
    expect(applyPaymentFact(applied.aggregate, end).aggregate.status).toBe("timeout");
  });

  test("ends the order if the service refused the other attempt of that second", () => {
    const attempts = [sentAt(lostRefused, 100), sentAt(live, 900)];
    const ended = applyPaymentFact({ ...repeated, attempts }, statusFact("timeout", inSeconds));
    expect(ended).toMatchObject({ flags: [], aggregate: { status: "timeout" } });
  });

  test("of milliseconds that are 000 is that exact time alone", () => {
    const order = { ...repeated, attempts: [lost, sentAt(live, 123)] };
    const other = applyPaymentFact(order, statusFact("timeout", exactly(0)));
    expect(other).toMatchObject({ flags: otherAttempt, aggregate: { status: "pending" } });
  });

  test.each([
    ["first", inSeconds, exactly(123)],
    ["second", exactly(999), inSeconds],
  ])("tells no second payment of an order that was created elsewhere: %s", (_case, first, two) => {
    const success = successFact({ ...first, transactionId: undefined });
    const { aggregate } = applyPaymentFact(anOrder(), success);
    expect(applyPaymentFact(aggregate, successFact(two)).kind).toBe("known");
    const otherSecond = successFact({ ...two, createdAtMilliseconds: (second + 1) * 1_000 });
    expect(applyPaymentFact(aggregate, otherSecond).flags).toContain("duplicatePayment");
  });
});

test("a success without a transaction and with another amount contradicts, and with one is a payment", () => {
  const cents = (minor: string) => ({ value: minor, minor, currency: "EUR" });
  const success = (minor: string, transactionId?: string) =>
    successFact({ amount: cents(minor), transactionId });
  const facts = [
    success("10"),
    success("10", "T1"),
    success("20"),
    success("20", "T2"),
    success("30"),
  ];
  const applied: AppliedFact<Order>[] = [];
  facts.reduce((order, fact) => {
    applied.push(applyPaymentFact(order, fact));
    return applied.at(-1)!.aggregate;
  }, anOrder({ expected }));
  expect(applied.map(({ kind }) => kind)).toEqual(["news", "known", "known", "news", "known"]);
  expect(applied.map(({ flags }) => flags.filter((flag) => flag !== "mismatch"))).toEqual([
    [],
    [],
    ["contradicted"],
    ["regressed", "duplicatePayment"],
    ["contradicted"],
  ]);
});

describe("a fact that could be about two attempts of one second, told again after one was refused,", () => {
  const [first, second] = [1_794_705_000_123, 1_794_705_000_789];
  const attempts = [
    { ...lost, paymentTimeMilliseconds: first },
    { ...sending, paymentTimeMilliseconds: second },
  ];
  const inSeconds = { createdAtMilliseconds: 1_794_705_000_000, isCreatedAtWholeSecond: true };

  test.each(["timeout", "failed", "confirming"] as const)(
    "is the %s that was published, under its id",
    (status) => {
      const fact = statusFact(status, { ...inSeconds, transactionId: undefined });
      const published = applyPaymentFact(sent(attempts), fact);
      expect(published).toMatchObject({ kind: "news", flags: otherAttempt });
      const followed = endCreation(published.aggregate, "two", refused);
      const again = applyPaymentFact(followed, fact);
      expect(again).toMatchObject({ kind: "known", factId: published.factId, flags: [] });
      expect(again.aggregate).toBe(followed);
      const withTransaction = applyPaymentFact(followed, { ...fact, transactionId: "T9" });
      expect(withTransaction).toMatchObject({ kind: "known", factId: published.factId });
    },
  );

  test("is another fact if it states another time, another transaction or another status", () => {
    const fact = statusFact("timeout", { ...inSeconds, transactionId: "T1" });
    const published = applyPaymentFact(sent(attempts), fact).aggregate;
    const followed = endCreation(published, "two", refused);
    for (const other of [
      { ...fact, transactionId: "T2" },
      statusFact("failed", inSeconds),
      { ...fact, transactionId: undefined, createdAtMilliseconds: 1_794_705_001_000 },
    ]) {
      expect(applyPaymentFact(followed, other).kind).toBe("news");
    }
  });
});
