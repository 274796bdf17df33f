import { describe, expect, test } from "vitest";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { createPace } from "../../../shared/reconciling/reconcile-orders.ts";
import {
  dueOrder,
  dueOrders,
  hour,
  minute,
  saveIn,
  simulateRuns,
  start,
} from "./simulated-runs.ts";

const pending = { status: "pending" };
const tableDown = new Error("the table is down");

test("a run looks at a thousand entries at the most, however many cannot be asked about", async () => {
  let read = 0;
  const runs = simulateRuns([], () => pending, {
    findDue: async function* () {
      for (; read < 5_000; read += 1) {
        yield { aggregateKey: `${read}`, dueAtMilliseconds: start - 1 };
      }
    },
  });
  const line = await runs.runAt(start);
  expect(line).toMatchObject({ outcome: "reconciled", UnreadableOrder: 1_000 });
  expect(read).toBe(1_000);
});

test("an order that was settled after the index was read is left alone", async () => {
  const {
    dueShard: _dueShard,
    dueAtMilliseconds: _dueAtMilliseconds,
    ...settled
  } = dueOrder("A", hour);
  const later = { ...dueOrder("B", hour), dueAtMilliseconds: start + 1 };
  const runs = simulateRuns([dueOrder("A", hour), dueOrder("B", hour)], () => pending, {
    loadOrder: async (key) => (key.endsWith("A") ? settled : later),
    saveOrder: async () => {
      throw new Error("not expected");
    },
  });
  const line = await runs.runAt(start);
  expect(line).toMatchObject({ outcome: "reconciled", aggregateKeys: undefined });
  expect(line).not.toHaveProperty("CheckFailed");
  expect(runs.asked).toEqual([]);
});

describe("whatever one entry throws", () => {
  test("in the load of its order is counted and named, and the run goes on", async () => {
    const runs = simulateRuns([dueOrder("BAD", hour), dueOrder("GOOD", minute)], () => pending, {
      loadOrder: async (key) => {
        if (key.endsWith("BAD")) throw tableDown;
        return runs.items.get(key);
      },
    });
    expect(await runs.runAt(start)).toMatchObject({
      outcome: "reconciled",
      errorName: "Error",
      aggregateKeys: ["M1#order#BAD"],
      CheckFailed: 1,
      Answered: 1,
    });
    expect(runs.lines[0]).not.toHaveProperty("QueryFailed");
  });

  test.each([
    ["of a merchant that was removed", "GONE", tableDown],
    ["of a merchant that was removed, forever", "GONE", new PaycastError("item-too-large", "")],
    ["of a merchant that is configured", "M1", tableDown],
  ])(
    "in the write of an order %s is counted and named, and the run goes on",
    async (_case, merchantId, error) => {
      const orders = [dueOrder("BAD", hour, { merchantId }), dueOrder("GOOD", minute)];
      const runs = simulateRuns(orders, () => pending, {
        saveOrder: async (order) => {
          if (order.orderNo === "BAD") throw error;
          return saveIn(runs.items, order);
        },
      });
      const aggregateKeys = [`${merchantId}#order#BAD`];
      const counts = { CheckFailed: 1, Answered: 1 };
      expect(await runs.runAt(start)).toMatchObject({
        outcome: "reconciled",
        aggregateKeys,
        ...counts,
      });
    },
  );
});

test.each(["loadOrder", "saveOrder"] as const)(
  "a table whose %s fails for every entry ends the run after twenty",
  async (name) => {
    const runs = simulateRuns(dueOrders(40, "O", hour), () => pending, {
      [name]: async () => {
        throw tableDown;
      },
    });
    const line = await runs.runAt(start);
    expect(line).toMatchObject({ outcome: "ended-by-failures", CheckFailed: 20 });
    expect(line).not.toHaveProperty("Asked");
    expect(line["OldestDueSeconds"]).toBeGreaterThanOrEqual(hour / 1000);
  },
);

/** A clock that moves only while somebody waits. */
function makeClock() {
  let now = 1_794_705_765_000;
  const pauses: number[] = [];
  const pause = async (milliseconds: number) => {
    pauses.push(milliseconds);
    now += milliseconds;
  };
  const move = (milliseconds: number) => {
    now += milliseconds;
  };
  return { pauses, move, waitForTurn: createPace(() => now, pause) };
}

test("the first question does not wait, the next ones 200 ms after the one before", async () => {
  const { pauses, move, waitForTurn } = makeClock();
  await waitForTurn();
  move(50);
  await waitForTurn();
  await waitForTurn();
  expect(pauses).toEqual([150, 200]);
});

test("time that was not used is not made up for", async () => {
  const { pauses, move, waitForTurn } = makeClock();
  await waitForTurn();
  move(60_000);
  await waitForTurn();
  await waitForTurn();
  expect(pauses).toEqual([200]);
});

test("a clock that was set back makes nobody wait longer than a turn", async () => {
  const { pauses, move, waitForTurn } = makeClock();
  await waitForTurn();
  move(-3_600_000);
  await waitForTurn();
  expect(pauses).toEqual([200]);
});
