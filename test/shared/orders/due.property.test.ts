import fc from "fast-check";
import { expect, test } from "vitest";
import {
  countFailure,
  dueAfterAnswer,
  dueAfterFailure,
  endRepeats,
} from "../../../shared/orders/due.ts";
import type { Order } from "../../../shared/orders/order.ts";
import { aCreation, anAttempt, anOrder, asCreated } from "./facts.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

function orderThatExpires(expiresAtMilliseconds: number): Order {
  const creation = aCreation(expiresAtMilliseconds);
  const attempts = [anAttempt({ startedAtMilliseconds: expiresAtMilliseconds - 30 * minute })];
  return asCreated(anOrder({ creation, attempts, paymentIds: ["P1"] }));
}

/** The times of all checks until the order is no longer due. Each check comes some time after it is due. */
function checksOf(
  order: Order,
  delays: readonly number[],
  next: (order: Order, now: number) => Order,
) {
  const times: number[] = [];
  let checked = order;
  while (checked.dueAtMilliseconds !== undefined) {
    const now = checked.dueAtMilliseconds + (delays[times.length % delays.length] ?? 0);
    times.push(now);
    checked = next(checked, now);
    // Both attributes, or none.
    expect(checked.dueShard === undefined).toBe(checked.dueAtMilliseconds === undefined);
    if (times.length > 200) throw new Error("the checks do not end");
  }
  return { times, checked };
}

const expiries = fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 });
const delaysUpTo = (max: number) =>
  fc.array(fc.integer({ min: 0, max }), { minLength: 1, maxLength: 30 });

test("checks without news grow apart, end after eight days, and are at most 20", () => {
  fc.assert(
    fc.property(expiries, delaysUpTo(minute), (expiry, delays) => {
      const { times, checked } = checksOf(orderThatExpires(expiry), delays, dueAfterAnswer);
      const gaps = times.slice(1, -1).map((time, index) => time - times[index]!);
      // A delayed run may shorten the next gap by as much as it was late.
      gaps.slice(1).forEach((gap, index) => {
        expect(gap).toBeGreaterThan(gaps[index]! - 2 * minute);
      });
      expect(times[0]! - expiry).toBeGreaterThanOrEqual(2 * minute);
      for (const time of times.slice(0, -1)) expect(time - expiry).toBeLessThan(8 * day);
      expect(times.at(-1)! - expiry).toBeGreaterThanOrEqual(8 * day);
      expect(times.length).toBeLessThanOrEqual(20);
      expect(checked.flags).toEqual(["unresolved"]);
    }),
  );
});

test("however late the runs are, every order ends", () => {
  fc.assert(
    fc.property(expiries, delaysUpTo(3 * day), (expiry, delays) => {
      const { times } = checksOf(orderThatExpires(expiry), delays, dueAfterAnswer);
      expect(times.length).toBeLessThanOrEqual(20);
    }),
  );
});

test("queries that never get a response end too, after at most 80", () => {
  fc.assert(
    fc.property(
      expiries,
      delaysUpTo(minute),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (expiry, delays, random) => {
        const fail = (order: Order, now: number) =>
          endRepeats(countFailure(dueAfterFailure(order, now, random)), now);
        const { times, checked } = checksOf(orderThatExpires(expiry), delays, fail);
        expect(times.length).toBeLessThanOrEqual(80);
        times.slice(1).forEach((time, index) => {
          expect(time - times[index]!).toBeGreaterThanOrEqual(8 * minute);
        });
        expect(checked.flags).toEqual(["unresolved"]);
      },
    ),
  );
});
