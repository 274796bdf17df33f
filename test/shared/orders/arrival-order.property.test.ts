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

interface Statement {
  readonly status: (typeof statuses)[number];
  readonly transactionId: string | undefined;
  readonly time: number | undefined;
  readonly amount: number;
}

function factOf({ status, transactionId, time, amount }: Statement): PaymentFact {
  const createdAtMilliseconds = time === undefined ? undefined : times[time]!;
  const fields = { transactionId, createdAtMilliseconds };
  if (status !== "success") return statusFact(status, fields);
  return successFact({ ...fields, amount: amounts[amount]! });
}

/** Anything at all: one transaction with two amounts, one attempt with and without its time. */
const anything: fc.Arbitrary<Statement> = fc.record({
  status: fc.constantFrom(...statuses),
  transactionId: fc.constantFrom(...transactions),
  time: fc.constantFrom(0, 1, undefined),
  amount: fc.constantFrom(0, 1),
});

interface Sets {
  readonly start: Order;
  readonly inOrder: Statement[];
  readonly shuffled: Statement[];
}

const bothWays = (
  start: fc.Arbitrary<Order>,
  statementsFor: (start: Order) => fc.Arbitrary<Statement[]>,
) =>
  start.chain((order) =>
    statementsFor(order).chain(
      (inOrder): fc.Arbitrary<Sets> =>
        fc.record({
          start: fc.constant(order),
          inOrder: fc.constant(inOrder),
          shuffled: fc.shuffledSubarray(inOrder, { minLength: inOrder.length }),
        }),
    ),
  );

const anySets = bothWays(fc.constantFrom(...orders), () => fc.array(anything, { maxLength: 8 }));

/**
 * Each transaction has one amount, as has what is reported for an attempt without one. A transaction belongs to one attempt. All
 * name their attempt by its time, or none does.
 */
const consistentSets = bothWays(fc.constantFrom(...orders), ({ attempts }) =>
  fc
    .record({
      hasTimes: fc.boolean(),
      amountOf: fc.dictionary(fc.constantFrom("T1", "T2", "0", "1"), fc.constantFrom(0, 1)),
      statements: fc.array(anything, { maxLength: 8 }),
    })
    .map(({ hasTimes, amountOf, statements }) =>
      statements.map((statement) => {
        const attempt =
          statement.transactionId === undefined
            ? statement.time
            : Number(statement.transactionId[1]) - 1;
        const time = !hasTimes ? undefined : attempts.length === 1 ? 0 : (attempt ?? 0);
        const amount = amountOf[statement.transactionId ?? String(time ?? 0)] ?? 0;
        return { ...statement, time, amount };
      }),
    ),
);

const applyAll = (start: Order, statements: readonly Statement[]): Order =>
  statements.reduce(
    (order, statement) => applyPaymentFact(order, factOf(statement)).aggregate,
    start,
  );

describe("whatever the order of arrival", () => {
  test("the status ends the same, and an order is paid or not", () => {
    fc.assert(
      fc.property(anySets, (sets) => {
        const [ordered, reordered] = [
          applyAll(sets.start, sets.inOrder),
          applyAll(sets.start, sets.shuffled),
        ];
        expect(reordered.status).toBe(ordered.status);
        expect(reordered.successes.length > 0).toBe(ordered.successes.length > 0);
      }),
      { numRuns: draws(500) },
    );
  });

  test("two amounts of a success leave a flag", () => {
    fc.assert(
      fc.property(anySets, ({ start, inOrder }) => {
        const successes = inOrder.filter(({ status }) => status === "success");
        if (new Set(successes.map(({ amount }) => amount)).size < 2) return;
        const { flags } = applyAll(start, inOrder);
        const telling = flags.filter((flag) =>
          ["mismatch", "contradicted", "duplicatePayment"].includes(flag),
        );
        expect(telling).not.toEqual([]);
      }),
      { numRuns: draws(500) },
    );
  });

  test("the number of events and of payments ends the same, also if all is reported twice, if each payment is reported with one amount, and its attempt always or never", () => {
    const endOf = ({ status, sequence, successes, flags }: Order) => ({
      status,
      sequence,
      payments: successes.length,
      duplicatePayment: flags.includes("duplicatePayment"),
      mismatch: flags.includes("mismatch"),
    });
    fc.assert(
      fc.property(consistentSets, ({ start, inOrder, shuffled }) => {
        const end = endOf(applyAll(start, inOrder));
        expect(endOf(applyAll(start, shuffled))).toEqual(end);
        expect(endOf(applyAll(start, [...inOrder, ...inOrder]))).toEqual(end);
      }),
      { numRuns: draws(1000) },
    );
  });

  test("no event id is used twice, and the events are numbered without a gap", () => {
    fc.assert(
      fc.property(anySets, ({ start, inOrder }) => {
        const order = applyAll(start, inOrder);
        const numbers = Object.values(order.facts).sort((a, b) => a - b);
        expect(numbers).toEqual(
          Array.from({ length: order.sequence }, (_item, index) => index + 1),
        );
      }),
      { numRuns: draws(500) },
    );
  });
});
