import { describe, expect, test } from "vitest";
import { PaycastError } from "../../../shared/paycast-error.ts";
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
    ["of a merchant that was removed, for ever", "GONE", new PaycastError("item-too-large", "")],
    ["of a merchant that is configured", "M1", tableDown],
  ])(
    "in the write of an order %s is counted and named, and the run goes on",
    async (_, merchantId, error) => {
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
  "a table whose %s fails for every entry ends the run after five",
  async (name) => {
    const runs = simulateRuns(dueOrders(20, "O", hour), () => pending, {
      [name]: async () => {
        throw tableDown;
      },
    });
    const line = await runs.runAt(start);
    expect(line).toMatchObject({ outcome: "ended-by-failures", CheckFailed: 5 });
    expect(line).not.toHaveProperty("Asked");
    expect(line["OldestDueSeconds"]).toBeGreaterThanOrEqual(hour / 1000);
  },
);
