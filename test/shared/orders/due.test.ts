import { describe, expect, test } from "vitest";
import type { PaymentFact } from "../../../shared/facts/fact.ts";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import { endCreation } from "../../../shared/orders/creation.ts";
import {
  dueAfterAnswer,
  dueAfterCreation,
  dueAfterFact,
  dueAfterFailure,
  dueNow,
  dueShards,
  endRepeats,
} from "../../../shared/orders/due.ts";
import type { Order } from "../../../shared/orders/order.ts";
import { anAttempt, anOrder, expected, statusFact, successFact } from "./facts.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = 1_794_705_765_000;
const learnedAt = new Date(now).toISOString();

const creation = {
  contentHash: "hash",
  channel: "WEB",
  expiresAtMilliseconds: now,
  leaseEndsAtMilliseconds: 0,
  paymentId: "P1",
};

/** An order that the service has as P1 and that expired just now. */
function dueOrder(overrides: Partial<Order> = {}): Order {
  const attempts = [anAttempt({ paymentId: "P1" })];
  const order = anOrder({ creation, attempts, paymentIds: ["P1"], expected, ...overrides });
  return dueAfterCreation(order);
}

function told(order: Order, fact: PaymentFact, at = now): Order {
  const applied = applyPaymentFact(order, fact);
  return dueAfterFact(order, applied.aggregate, applied.flags, at);
}

const dueOf = ({ dueAtMilliseconds }: Order) => dueAtMilliseconds;

describe("an order that create-order has stored", () => {
  const sent = anOrder({
    creation: { ...creation, paymentId: undefined },
    attempts: [anAttempt({ state: "sending" })],
    expected,
  });
  const end = { state: "created", paymentId: "P1", checkoutUrl: "https://pay.example/P1" } as const;

  test("is due two minutes after its expiry, in one of the shards", () => {
    const created = endCreation(sent, "attempt-1", end);
    expect(dueOf(created)).toBe(now + 2 * minute);
    expect(dueShards).toContain(created.dueShard);
  });

  const madeAt = anAttempt().startedAtMilliseconds;
  const withExpiry = (expiresAtMilliseconds: number) =>
    endCreation({ ...sent, creation: { ...creation, expiresAtMilliseconds } }, "attempt-1", end);

  test("has its first check two minutes after it was made if the times that were sent are of last month", () => {
    const created = withExpiry(madeAt - 30 * day);
    expect(dueOf(created)).toBe(madeAt + 2 * minute);
  });

  test("is asked about for eight days from its creation, also with times of last month", () => {
    const checked = dueAfterAnswer(withExpiry(madeAt - 30 * day), madeAt + 2 * minute);
    expect([checked.flags, dueOf(checked)]).toEqual([[], madeAt + 4 * minute]);
    const failed = endRepeats(checked, madeAt + 2 * minute);
    expect(failed.flags).toEqual([]);
    expect(dueAfterAnswer(checked, madeAt + 8 * day).flags).toEqual(["unresolved"]);
  });

  test("has its first check a day after it was made if it would expire in the year 2286", () => {
    expect(dueOf(withExpiry(9_999_999_999_999))).toBe(madeAt + day);
    expect(dueOf(withExpiry(madeAt + day))).toBe(madeAt + day);
  });

  test.each([{ state: "unknown" }, { state: "refused" }] as const)(
    "is never due without a payment: %j",
    (without) => {
      expect(endCreation(sent, "attempt-1", without)).not.toHaveProperty("dueAtMilliseconds");
    },
  );

  test("is not due if the service has told of its success already", () => {
    const paid = applyPaymentFact(sent, successFact()).aggregate;
    expect(dueOf(endCreation(paid, "attempt-1", end))).toBeUndefined();
  });

  test("has its last check a day after a timeout that was told already", () => {
    const over = applyPaymentFact(sent, statusFact("timeout")).aggregate;
    expect(dueOf(endCreation(over, "attempt-1", end))).toBe(now + day);
  });

  test("keeps an earlier check", () => {
    expect(dueOf(dueOrder({ dueShard: "0", dueAtMilliseconds: now - hour }))).toBe(now - hour);
  });

  test("is due again for an earlier attempt that it follows after a refusal", () => {
    const overdue = { status: "timeout", payment: { learnedAt } } as const;
    const attempts = [
      anAttempt({ paymentId: "P1", told: overdue }),
      anAttempt({ attemptId: "attempt-2", state: "sending" }),
    ];
    const ended = endCreation(dueOrder({ attempts }), "attempt-2", { state: "refused" });
    expect([ended.status, dueOf(ended)]).toEqual(["timeout", now + day]);
  });
});

describe("a fact", () => {
  test("that is a success removes both attributes", () => {
    const paid = told(dueOrder(), successFact());
    expect(paid).toMatchObject({ dueShard: undefined, dueAtMilliseconds: undefined });
  });

  test.each(["timeout", "failed"] as const)("that is a %s leaves one last check", (status) => {
    expect(dueOf(told(dueOrder(), statusFact(status)))).toBe(now + day);
  });

  test("that is confirming leaves the time as it is", () => {
    const order = dueOrder();
    expect(dueOf(told(order, statusFact("confirming")))).toBe(dueOf(order));
  });

  test("that is known does not change the order, before and after the last check", () => {
    const over = told(dueOrder(), statusFact("timeout"));
    expect(told(over, statusFact("timeout"), now + hour)).toBe(over);
    const checked = dueAfterAnswer(over, now + day);
    expect(told(checked, statusFact("timeout"), now + 2 * day)).toBe(checked);
  });

  test("of another attempt makes the order due at once, once", () => {
    const attempts = [
      anAttempt({ state: "unknown" }),
      anAttempt({ attemptId: "attempt-2", paymentTimeMilliseconds: now, paymentId: "P1" }),
    ];
    const fact = statusFact("timeout", { createdAtMilliseconds: 1_794_705_000_000 });
    const order = told(dueOrder({ attempts }), fact, now - hour);
    expect([order.status, order.flags, dueOf(order)]).toEqual([
      "pending",
      ["otherAttempt"],
      now - hour,
    ]);
    const without = { dueAtMilliseconds: undefined, dueShard: undefined };
    expect(dueOf(told({ ...dueOrder({ attempts }), ...without }, fact, now))).toBe(now);
    expect(dueOf(told(dueOrder({ attempts }), fact, now + day))).toBe(now + 2 * minute);
    const checked = dueAfterAnswer(order, now - hour);
    expect(dueOf(checked)).toBe(now + 2 * minute);
    expect(told(checked, fact, now)).toBe(checked);
  });

  test("about an order without a payment, or created elsewhere, makes nothing due", () => {
    const elsewhere = anOrder({ paymentIds: ["P1"] });
    const unpaid = anOrder({ creation, attempts: [anAttempt()] });
    for (const order of [anOrder(), elsewhere, unpaid]) {
      expect(dueOf(told(order, statusFact("timeout")))).toBeUndefined();
    }
  });
});

describe("after an answer that did not settle the order", () => {
  test("a success, which a callback told meanwhile, has no next check", () => {
    expect(dueOf(dueAfterAnswer(dueOrder({ status: "success" }), now))).toBeUndefined();
  });

  test.each([
    ["two minutes", 2 * minute, 4 * minute],
    ["three hours", 3 * hour, 6 * hour],
    ["two days", 2 * day, 3 * day],
    ["seven and a half days", 7.5 * day, 8 * day],
    ["less than nothing", -hour, 2 * minute],
  ])("%s after the expiry, the next check follows", (_, overdue, next) => {
    expect(dueOf(dueAfterAnswer(dueOrder(), now + overdue))).toBe(now + next);
  });

  test("eight days after the expiry the order is unresolved and not due", () => {
    const unresolved = dueAfterAnswer(dueOrder(), now + 8 * day);
    expect([unresolved.flags, dueOf(unresolved)]).toEqual([["unresolved"], undefined]);
  });

  test.each([successFact(), statusFact("failed")])(
    "an unresolved order loses the flag with its end: %j",
    (fact) => {
      const unresolved = dueAfterAnswer(dueOrder(), now + 8 * day);
      expect(told(unresolved, fact).flags).not.toContain("unresolved");
    },
  );

  test("an unresolved order keeps the flag while it is confirming", () => {
    const unresolved = dueAfterAnswer(dueOrder(), now + 8 * day);
    expect(told(unresolved, statusFact("confirming")).flags).toEqual(["unresolved"]);
  });

  test("a timeout has had its last check after a day, and not before", () => {
    const over = told(dueOrder(), statusFact("timeout"));
    expect(dueOf(dueAfterAnswer(over, now + hour))).toBe(now + day);
    expect(dueOf(dueAfterAnswer(over, now + day))).toBeUndefined();
  });
});

describe("after a question without an answer", () => {
  test.each([
    [0, 8 * minute],
    [1, 12 * minute],
  ])("the next comes in about ten minutes (random %d)", (random, pause) => {
    expect(dueOf(dueAfterFailure(dueOrder(), now + 2 * minute, random))).toBe(
      now + 2 * minute + pause,
    );
  });

  test("the pause is an eighth of the usual gap if that is longer", () => {
    expect(dueOf(dueAfterFailure(dueOrder(), now + 4 * day, 0.5))).toBe(now + 4.5 * day);
  });

  test("the pause of a timeout grows with the time since it was learned, not since the expiry", () => {
    const late = statusFact("timeout", { learnedAtMilliseconds: now + 6 * day });
    const over = told(dueOrder(), late, now + 6 * day);
    expect(dueOf(dueAfterFailure(over, now + 8 * day, 0.5))).toBe(now + 8.25 * day);
  });

  test.each([
    ["an open order", dueOrder()],
    ["a timeout", told(dueOrder(), statusFact("timeout"))],
  ])("%s stays due however long it waits, until the repeats are ended", (_, order) => {
    const asked = dueAfterFailure(order, now + 9 * day, 0.5);
    expect([asked.flags, dueOf(asked)]).toEqual([[], now + 10.125 * day]);
  });

  test.each([
    ["the expiry of an open order", dueOrder(), 9 * day],
    ["a timeout", told(dueOrder(), statusFact("timeout")), 9 * day],
    [
      "a failure that was learned late",
      told(dueOrder(), statusFact("failed", { learnedAtMilliseconds: now + 6 * day })),
      15 * day,
    ],
  ])("the repeats end nine days after %s, and it is unresolved", (_, order, end) => {
    expect(endRepeats(order, now + end - 1)).toBe(order);
    const unresolved = endRepeats(order, now + end);
    expect([unresolved.flags, dueOf(unresolved)]).toEqual([["unresolved"], undefined]);
  });
});

describe("a timeout that is unresolved", () => {
  const over = told(dueOrder(), statusFact("timeout"));
  const unresolved = endRepeats(over, now + 9 * day);

  test("keeps the flag when the service repeats the timeout, and loses it with a success", () => {
    expect(told(unresolved, statusFact("timeout"), now + 10 * day)).toBe(unresolved);
    expect(told(unresolved, successFact()).flags).toEqual(["late"]);
  });

  test("loses the flag with an answer that tells nothing new", () => {
    const answered = dueAfterAnswer(unresolved, now + 10 * day);
    expect([answered.flags, dueOf(answered)]).toEqual([[], undefined]);
  });
});

describe("an operator who wants to know it now", () => {
  test("moves the next check to now, and never to later", () => {
    const waiting = dueOrder();
    const moved = dueNow(waiting, now);
    expect(moved).toEqual({ ...waiting, dueAtMilliseconds: now });
    expect(dueNow(moved, now + hour)).toBe(moved);
  });

  test("gets no check where there is nothing to ask", () => {
    const settled = anOrder({ status: "success" });
    expect(dueNow(settled, now)).toBe(settled);
  });
});
