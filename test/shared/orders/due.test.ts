import { describe, expect, test } from "vitest";
import type { PaymentFact } from "../../../shared/facts/fact.ts";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import { endCreation } from "../../../shared/orders/creation.ts";
import {
  countFailure,
  dueAfterAnswer,
  dueAfterFailure,
  dueAtOnce,
  dueShards,
  endRepeats,
} from "../../../shared/orders/due.ts";
import type { Order } from "../../../shared/orders/order.ts";
import { noteAnswer, noteNews } from "../../../shared/orders/question.ts";
import {
  afterFact,
  creation,
  day,
  dueOf,
  dueOrder,
  hour,
  learnedAt,
  minute,
  now,
} from "./due-order.ts";
import { anAttempt, anOrder, expected, statusFact, successFact } from "./facts.ts";

describe("an order that create-order has stored", () => {
  const sent = anOrder({
    state: { kind: "sending" },
    creation: { ...creation, paymentId: undefined },
    attempts: [anAttempt({ state: "sending" })],
    expected,
  });
  const end = { state: "created", paymentId: "P1", checkoutUrl: "https://pay.example/P1" } as const;
  const madeAt = anAttempt().startedAtMilliseconds;
  const withExpiry = (expiresAtMilliseconds: number) =>
    endCreation({ ...sent, creation: { ...creation, expiresAtMilliseconds } }, "attempt-1", end);
  const storedAfter = (fact: PaymentFact) =>
    endCreation(applyPaymentFact(sent, fact).aggregate, "attempt-1", end);

  test.each<[when: string, order: () => Order, due: number | undefined]>([
    ["two minutes after its expiry", () => withExpiry(now), now + 2 * minute],
    ["after it was made if it expired", () => withExpiry(madeAt - 30 * day), madeAt + 2 * minute],
    ["at the latest after a day", () => withExpiry(9_999_999_999_999), madeAt + day],
    ["a day after it was made if it expires then", () => withExpiry(madeAt + day), madeAt + day],
    ["earlier if it was due", () => dueOrder({ dueAtMilliseconds: now - hour }), now - hour],
    ["a day after a known timeout", () => storedAfter(statusFact("timeout")), now + day],
    ["never after a known success", () => storedAfter(successFact()), undefined],
    [
      "never without a payment",
      () => endCreation(sent, "attempt-1", { state: "unknown" }),
      undefined,
    ],
  ])("has its first check %s", (_when, order, due) => {
    expect(dueOf(order())).toBe(due);
  });

  test.each([
    ["longer than 35 minutes has an early query after 30", 35 * minute + 1, 30 * minute],
    ["35 minutes has none", 35 * minute, undefined],
    ["a day has it after 30 minutes, too", day, 30 * minute],
  ])("that may be paid for %s", (_what, lifetime, early) => {
    const order = withExpiry(madeAt + lifetime);
    expect(order.earlyAtMilliseconds).toBe(early && madeAt + early);
    expect(dueOf(order)).toBeGreaterThan(madeAt + 30 * minute);
    expect(afterFact(order, statusFact("confirming")).earlyAtMilliseconds).toBe(
      early && madeAt + early,
    );
    expect(afterFact(order, successFact()).earlyAtMilliseconds).toBeUndefined();
    expect(afterFact(order, statusFact("timeout")).earlyAtMilliseconds).toBeUndefined();
  });

  test("is in one of the shards", () => {
    expect(dueShards).toContain(withExpiry(now).dueShard);
  });

  test("is queried for eight days from its creation, even with times of last month", () => {
    const checked = dueAfterAnswer(withExpiry(madeAt - 30 * day), madeAt + 2 * minute);
    expect([checked.flags, dueOf(checked)]).toEqual([[], madeAt + 4 * minute]);
    expect(endRepeats(checked, madeAt + 2 * minute).flags).toEqual([]);
    expect(dueAfterAnswer(checked, madeAt + 8 * day).flags).toEqual(["unresolved"]);
  });

  test("is due again for an earlier attempt that it follows after a refusal", () => {
    const overdue = { status: "timeout", payment: { learnedAt } } as const;
    const attempts = [
      anAttempt({ paymentId: "P1", reported: overdue }),
      anAttempt({ attemptId: "attempt-2", state: "sending" }),
    ];
    const ended = endCreation(dueOrder({ attempts }), "attempt-2", { state: "refused" });
    expect([ended.status, dueOf(ended)]).toEqual(["timeout", now + day]);
  });
});

describe("a fact", () => {
  test.each([
    ["a success ends the checks", successFact(), undefined],
    ["a timeout leaves one last check", statusFact("timeout"), now + day],
    ["a failure leaves one last check", statusFact("failed"), now + day],
    ["confirming leaves the time as it is", statusFact("confirming"), now + 2 * minute],
  ])("%s", (_what, fact, due) => {
    const order = afterFact(dueOrder(), fact);
    expect([dueOf(order), order.dueShard === undefined]).toEqual([due, due === undefined]);
  });

  test("that is known does not change the order, before and after the last check", () => {
    const over = afterFact(dueOrder(), statusFact("timeout"));
    expect(afterFact(over, statusFact("timeout"), now + hour)).toBe(over);
    const checked = dueAfterAnswer(over, now + day);
    expect(afterFact(checked, statusFact("timeout"), now + 2 * day)).toBe(checked);
  });

  test("of another attempt makes the order due immediately, once", () => {
    const attempts = [
      anAttempt({ state: "unknown" }),
      anAttempt({ attemptId: "attempt-2", paymentTimeMilliseconds: now, paymentId: "P1" }),
    ];
    const fact = statusFact("timeout", { createdAtMilliseconds: 1_794_705_000_000 });
    const order = afterFact(dueOrder({ attempts }), fact, now - hour);
    expect([order.status, order.flags, dueOf(order)]).toEqual([
      "pending",
      ["otherAttempt"],
      now - hour,
    ]);
    const without = { dueAtMilliseconds: undefined, dueShard: undefined };
    expect(dueOf(afterFact({ ...dueOrder({ attempts }), ...without }, fact, now))).toBe(now);
    expect(dueOf(afterFact(dueOrder({ attempts }), fact, now + day))).toBe(now + 2 * minute);
    const checked = dueAfterAnswer(order, now - hour);
    expect(dueOf(checked)).toBe(now + 2 * minute);
    expect(afterFact(checked, fact, now)).toBe(checked);
  });

  test("about an order without a payment, or created elsewhere, makes nothing due", () => {
    const elsewhere = anOrder({ paymentIds: ["P1"] });
    const unpaid = anOrder({ creation, attempts: [anAttempt()] });
    for (const order of [anOrder(), elsewhere, unpaid]) {
      expect(dueOf(afterFact(order, statusFact("timeout")))).toBeUndefined();
    }
  });
});

describe("after a result that did not settle the order", () => {
  const over = afterFact(dueOrder(), statusFact("timeout"));

  test.each([
    ["the next check follows after the time that has passed", dueOrder(), 2 * minute, 4 * minute],
    ["the gaps grow", dueOrder(), 3 * hour, 6 * hour],
    ["to a day at most", dueOrder(), 2 * day, 3 * day],
    ["the last check is eight days after the expiry", dueOrder(), 7.5 * day, 8 * day],
    ["none comes before the expiry", dueOrder(), -hour, 2 * minute],
    ["a timeout keeps its last check until a day has passed", over, hour, day],
    ["and has no other", over, day, undefined],
    [
      "a success, which a callback reported meanwhile, has none",
      dueOrder({ status: "success" }),
      0,
    ],
  ])("%s", (_what, order, late, next?: number) => {
    expect(dueOf(dueAfterAnswer(order, now + late))).toBe(next && now + next);
  });

  test("eight days after the expiry the order is unresolved and not due, until it ends", () => {
    const unresolved = dueAfterAnswer(dueOrder(), now + 8 * day);
    expect([unresolved.flags, dueOf(unresolved)]).toEqual([["unresolved"], undefined]);
    expect(afterFact(unresolved, statusFact("confirming")).flags).toEqual(["unresolved"]);
    expect(afterFact(unresolved, statusFact("failed")).flags).toEqual([]);
  });
});

describe("after a query without a response", () => {
  const learnedLate = { learnedAtMilliseconds: now + 6 * day };
  const late = afterFact(dueOrder(), statusFact("timeout", learnedLate), now + 6 * day);

  test.each([
    ["in about ten minutes", 0, 0, 8 * minute],
    ["or a little more", 0, 1, 12 * minute],
    ["in twice the time after a failure", 1, 0.5, 20 * minute],
    ["in four times after two", 2, 0.5, 40 * minute],
    ["in six hours at most", 6, 0.5, 6 * hour],
    ["and no later after any number of failures", 2_000, 0.5, 6 * hour],
  ])("the next comes %s", (_what, failures, random, next) => {
    let order = dueOrder();
    for (let count = 0; count < failures; count += 1) order = countFailure(order);
    const asked = dueAfterFailure(order, now + 4 * day, random);
    expect([asked.flags, dueOf(asked)]).toEqual([[], now + 4 * day + next]);
  });

  test.each([
    ["a response", noteAnswer(countFailure(dueOrder()), false, now)],
    ["news", noteNews(countFailure(dueOrder()), "f", now)],
    ["an end", afterFact(countFailure(dueOrder()), statusFact("timeout"))],
  ])("%s ends the count of failures", (_what, order) => {
    expect(order.failedChecks).toBeUndefined();
  });

  test.each([
    ["the expiry of an open order", dueOrder(), 9 * day],
    ["a timeout that was learned late", late, 15 * day],
  ])("the repeats end nine days after %s, and it is unresolved", (_case, order, end) => {
    expect(endRepeats(order, now + end - 1)).toBe(order);
    const unresolved = endRepeats(order, now + end);
    expect([unresolved.flags, dueOf(unresolved)]).toEqual([["unresolved"], undefined]);
  });
});

test("an unresolved timeout keeps its flag with a repeat, and loses it with a result or a success", () => {
  const over = afterFact(dueOrder(), statusFact("timeout"));
  const unresolved = endRepeats(over, now + 9 * day);
  expect(afterFact(unresolved, statusFact("timeout"), now + 10 * day)).toBe(unresolved);
  expect(afterFact(unresolved, successFact()).flags).toEqual(["late"]);
  const answered = dueAfterAnswer(unresolved, now + 10 * day);
  expect([answered.flags, dueOf(answered)]).toEqual([[], undefined]);
});

test("an unreadable answer is forgotten when the order ends, and when its end is confirmed", () => {
  const mark = { hasUnreadableAnswer: true } as const;
  const over = afterFact(dueOrder(mark), statusFact("timeout"));
  expect(over.hasUnreadableAnswer).toBeUndefined();
  const confirmed = dueAfterAnswer({ ...over, ...mark }, now + day);
  expect(confirmed.hasUnreadableAnswer).toBeUndefined();
});

describe("an operator who wants to know it now", () => {
  test("moves the next check to now, and never to later", () => {
    const waiting = dueOrder();
    const moved = dueAtOnce(waiting, now);
    expect(moved).toEqual({ ...waiting, dueAtMilliseconds: now });
    expect(dueAtOnce(moved, now + hour)).toBe(moved);
  });

  test("gives a check to an order without one, if it has a payment", () => {
    const { dueAtMilliseconds: _due, dueShard, ...unresolved } = dueOrder();
    expect(dueAtOnce(unresolved, now)).toMatchObject({ dueAtMilliseconds: now, dueShard });
    const without = anOrder({ state: { kind: "reported" } });
    expect(dueAtOnce(without, now)).toBe(without);
  });
});
