import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PaymentFact } from "../../../shared/facts/fact.ts";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import type { Order } from "../../../shared/orders/order.ts";
import { draws } from "../../setup/draws.ts";
import { anAttempt, anOrder, expected, other, statusFact, successFact } from "./facts.ts";

/*
 * What docs/architecture.md says about the order of arrival ("One fact, one event"), no more and no less. Times are those
 * of attempts, amounts those of payments.
 */

const times = [1_000, 2_000];
const amounts = [expected, other];
const statuses = ["confirming", "timeout", "failed", "success"] as const;
const transactions = ["T1", "T2", undefined];

/** Created elsewhere, created once, and created twice because the first answer was lost. */
const orders: Order[] = [0, 1, 2].map((count) =>
  anOrder({
    ...(count > 0 && { expected }),
    attempts: times
      .slice(0, count)
      .map((paymentTimeMilliseconds) => anAttempt({ paymentTimeMilliseconds, state: "unknown" })),
  }),
);

interface Told {
  readonly status: (typeof statuses)[number];
  readonly transactionId: string | undefined;
  readonly time: number | undefined;
  readonly amount: number;
}

function factOf({ status, transactionId, time, amount }: Told): PaymentFact {
  const createdAtMilliseconds = time === undefined ? undefined : times[time]!;
  const fields = { transactionId, createdAtMilliseconds };
  if (status !== "success") return statusFact(status, fields);
  return successFact({ ...fields, amount: amounts[amount]! });
}

/** Anything at all: one transaction with two amounts, one attempt with and without its time. */
const anything: fc.Arbitrary<Told> = fc.record({
  status: fc.constantFrom(...statuses),
  transactionId: fc.constantFrom(...transactions),
  time: fc.constantFrom(0, 1, undefined),
  amount: fc.constantFrom(0, 1),
});

interface Sets {
  readonly start: Order;
  readonly one: Told[];
  readonly shuffled: Told[];
}

const bothWays = (start: fc.Arbitrary<Order>, told: (start: Order) => fc.Arbitrary<Told[]>) =>
  start.chain((order) =>
    told(order).chain(
      (one): fc.Arbitrary<Sets> =>
        fc.record({
          start: fc.constant(order),
          one: fc.constant(one),
          shuffled: fc.shuffledSubarray(one, { minLength: one.length }),
        }),
    ),
  );

const anySets = bothWays(fc.constantFrom(...orders), () => fc.array(anything, { maxLength: 8 }));

/**
 * Each transaction has one amount, as has what is told of an attempt without one. A transaction belongs to one attempt. All
 * name their attempt by its time, or none does.
 */
const consistentSets = bothWays(fc.constantFrom(...orders), ({ attempts }) =>
  fc
    .record({
      hasTimes: fc.boolean(),
      amountOf: fc.dictionary(fc.constantFrom("T1", "T2", "0", "1"), fc.constantFrom(0, 1)),
      told: fc.array(anything, { maxLength: 8 }),
    })
    .map(({ hasTimes, amountOf, told }) =>
      told.map((one) => {
        const attempt =
          one.transactionId === undefined ? one.time : Number(one.transactionId[1]) - 1;
        const time = !hasTimes ? undefined : attempts.length === 1 ? 0 : (attempt ?? 0);
        const amount = amountOf[one.transactionId ?? String(time ?? 0)] ?? 0;
        return { ...one, time, amount };
      }),
    ),
);

const applyAll = (start: Order, told: readonly Told[]): Order =>
  told.reduce((order, one) => applyPaymentFact(order, factOf(one)).aggregate, start);

describe("whatever the order of arrival", () => {
  test("the status ends the same, and an order is paid or not", () => {
    fc.assert(
      fc.property(anySets, (sets) => {
        const [one, other] = [applyAll(sets.start, sets.one), applyAll(sets.start, sets.shuffled)];
        expect(other.status).toBe(one.status);
        expect(other.successes.length > 0).toBe(one.successes.length > 0);
      }),
      { numRuns: draws(500) },
    );
  });

  test("two amounts of a success leave a flag", () => {
    fc.assert(
      fc.property(anySets, ({ start, one }) => {
        const told = one.filter(({ status }) => status === "success");
        if (new Set(told.map(({ amount }) => amount)).size < 2) return;
        const { flags } = applyAll(start, one);
        expect(flags.includes("mismatch") || flags.includes("duplicatePayment")).toBe(true);
      }),
      { numRuns: draws(500) },
    );
  });

  test("the number of events and of payments ends the same, also if all is told twice, if each payment is told with one amount, and its attempt always or never", () => {
    const endOf = ({ status, sequence, successes, flags }: Order) => ({
      status,
      sequence,
      payments: successes.length,
      duplicatePayment: flags.includes("duplicatePayment"),
      mismatch: flags.includes("mismatch"),
    });
    fc.assert(
      fc.property(consistentSets, ({ start, one, shuffled }) => {
        const end = endOf(applyAll(start, one));
        expect(endOf(applyAll(start, shuffled))).toEqual(end);
        expect(endOf(applyAll(start, [...one, ...one]))).toEqual(end);
      }),
      { numRuns: draws(1000) },
    );
  });

  test("no event id is used twice, and the events are numbered without a gap", () => {
    fc.assert(
      fc.property(anySets, ({ start, one }) => {
        const order = applyAll(start, one);
        const numbers = Object.values(order.facts).sort((a, b) => a - b);
        expect(numbers).toEqual(
          Array.from({ length: order.sequence }, (_item, index) => index + 1),
        );
      }),
      { numRuns: draws(500) },
    );
  });
});
