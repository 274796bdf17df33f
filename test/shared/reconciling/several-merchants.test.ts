import { describe, expect, test } from "vitest";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { GatewayError } from "../../../shared/gateway/gateway-error.ts";
import { day, dueOrder, dueOrders, hour, minute, simulateRuns, start } from "./simulated-runs.ts";

const pending = { status: "pending" };
const down = () => new GatewayError("timed-out");
const keysUnset = new PaycastError("keys-unset", "none", { retryable: true });
const ofM2 = { merchantId: "M2" };

/** The service answers M1 only. */
const onlyM1 = (failure: () => Error) => (_paymentId: string, merchantId: string) =>
  merchantId === "M1" ? pending : failure();

describe("a merchant whose keys cannot be used", () => {
  test("costs one question, and its other orders are set aside as after a failure", async () => {
    const bad = dueOrders(1_100, "B", 2 * hour, ofM2);
    const runs = simulateRuns(
      [...bad, dueOrder("GOOD", hour)],
      onlyM1(() => keysUnset),
    );
    const line = await runs.runAt(start);
    expect(line).toMatchObject({ outcome: "reconciled", Asked: 2, QueryFailed: 1, Answered: 1 });
    expect(line).toMatchObject({ SetAside: 1_099 });
    expect(runs.asked).toEqual(["P-B0", "P-GOOD"]);
    expect(runs.order("B1")).toEqual({
      ...bad[1],
      revision: 2,
      dueAtMilliseconds: start + 10 * minute,
    });
  });

  test("does not starve the others, if more than ten thousand of its orders are due before theirs", async () => {
    const bad = dueOrders(10_500, "B", 2 * hour, ofM2);
    const runs = simulateRuns(
      [...bad, dueOrder("GOOD", hour)],
      onlyM1(() => keysUnset),
    );
    await runs.runAt(start);
    const line = await runs.runAt(start + minute);
    expect(line).toMatchObject({ Answered: 1, SetAside: 499 });
    expect(runs.asked).toEqual(["P-B0", "P-B10000", "P-GOOD"]);
  });

  test("has orders that are unresolved in the end, as after any failing check", async () => {
    const runs = simulateRuns(dueOrders(2, "B", 9 * day, ofM2), () => keysUnset);
    expect(await runs.runAt(start)).toMatchObject({ SetAside: 1, Unresolved: 2 });
  });

  test("does not end the run, however many there are", async () => {
    const merchantIds = ["M1", "A", "B", "C", "D", "E", "F"];
    const bad = merchantIds.slice(1).map((id) => dueOrder(id, 2 * hour, { merchantId: id }));
    const orders = [...bad, dueOrder("GOOD", hour)];
    const runs = simulateRuns(
      orders,
      onlyM1(() => keysUnset),
      { merchantIds },
    );
    expect(await runs.runAt(start)).toMatchObject({ outcome: "reconciled", Answered: 1 });
  });

  test("makes a run walk over ten thousand entries at the most", async () => {
    let walked = 0;
    const runs = simulateRuns([dueOrder("B1", hour, ofM2)], () => keysUnset, {
      findDue: async function* ({ line }) {
        while (line === "due" && walked < 20_000) {
          walked += 1;
          yield { aggregateKey: `M2#order#B${walked}`, dueAtMilliseconds: start - hour };
        }
      },
    });
    expect(await runs.runAt(start)).toMatchObject({ outcome: "reconciled", Asked: 1 });
    expect(walked).toBe(10_000);
  });
});

describe("a merchant whose question failed", () => {
  test("waits until the others were asked, then goes on, oldest first", async () => {
    const bad = dueOrders(600, "B", hour, ofM2);
    const runs = simulateRuns([...bad, ...dueOrders(3, "GOOD", 0)], onlyM1(down));
    const line = await runs.runAt(start);
    expect(runs.asked.slice(0, 4)).toEqual(["P-B0", "P-GOOD2", "P-GOOD0", "P-GOOD1"]);
    expect(runs.asked.slice(4, 7)).toEqual(["P-B1", "P-B2", "P-B3"]);
    expect(line).toMatchObject({ outcome: "reconciled", Answered: 3 });
    expect(runs.order("B599")).toEqual({ ...bad[599], revision: 1 });
  });

  test("goes on in the same run if the failure was a single one", async () => {
    let failures = 1;
    const orders = [...dueOrders(5, "B", hour, ofM2), dueOrder("GOOD", minute)];
    const runs = simulateRuns(orders, () => (failures-- > 0 ? down() : pending));
    expect(await runs.runAt(start)).toMatchObject({ outcome: "reconciled", Answered: 5 });
    expect(runs.asked.at(1)).toBe("P-GOOD");
  });

  test.each([[["M1"]], [["M1", "M2"]]])(
    "ends the run after exactly twenty calls if the service is down for all of %j",
    async (merchantIds) => {
      const orders = [
        ...dueOrders(20, "A", hour),
        ...dueOrders(merchantIds.length > 1 ? 20 : 0, "B", minute, ofM2),
      ];
      const runs = simulateRuns(orders, down, { merchantIds });
      const line = await runs.runAt(start);
      expect(line).toMatchObject({ outcome: "ended-by-failures", Asked: 20, QueryFailed: 20 });
    },
  );

  test("does not make a run walk over the index if there is no other merchant", async () => {
    let walked = 0;
    const orders = dueOrders(500, "A", hour);
    const runs = simulateRuns(orders, down, {
      merchantIds: ["M1"],
      findDue: async function* () {
        for (const { aggregateKey } of orders) {
          walked += 1;
          yield { aggregateKey, dueAtMilliseconds: start - hour };
        }
      },
    });
    await runs.runAt(start);
    expect(runs.asked).toHaveLength(20);
    // Both ends of the line are the same here, so the second reader skips what the first has given.
    expect(walked).toBeLessThan(45);
  });
});

test("an unusable answer is counted beside the other kinds, whose sum an alarm watches", async () => {
  const runs = simulateRuns([dueOrder("A", hour)], down);
  expect(await runs.runAt(start)).toMatchObject({
    QueryFailed: 1,
    ServiceRefused: 0,
    UnreadableAnswer: 0,
  });
});
