import { describe, expect, test } from "vitest";
import { GatewayError } from "../../../shared/gateway/gateway-error.ts";
import { dueOrder, dueOrders, hour, minute, simulateRuns, start } from "./simulated-runs.ts";

const pending = { status: "pending" };
const failing = () => new GatewayError("unreadable");
/** The service fails whenever it is asked about a payment that begins with this. */
const failsOn = (prefix: string) => (paymentId: string) =>
  paymentId.startsWith(`P-${prefix}`) ? failing() : pending;

describe("orders whose queries always fail", () => {
  test.each([50, 200, 1_000])(
    "%d of them at the front of the line delay no other order",
    async (count) => {
      const orders = [...dueOrders(count, "BAD", hour), dueOrder("LOST", 0)];
      const runs = simulateRuns(orders, failsOn("BAD"));
      await runs.runAt(start);
      expect(runs.asked).toContain("P-LOST");
    },
  );

  test("come back after ten minutes, then after twice as long each time, up to six hours", async () => {
    const runs = simulateRuns([dueOrder("BAD", 0), ...dueOrders(2, "GOOD", 0)], failsOn("BAD"));
    const pauses: number[] = [];
    for (let now = start; pauses.length < 8; ) {
      await runs.runAt(now);
      const due = runs.order("BAD").dueAtMilliseconds!;
      pauses.push(Math.round((due - now) / minute));
      now = due;
      // Something that the service responds to is due in each run.
      runs.items.set("M1#order#NEXT", { ...dueOrder("NEXT", start - now), revision: 1 });
    }
    expect(pauses).toEqual([10, 20, 40, 80, 160, 320, 360, 360]);
  });

  test("hundreds that hang do not fill every run", async () => {
    const slow = (paymentId: string) => {
      if (paymentId === "P-LOST") return pending;
      runs.clock.now += 5_000;
      return new GatewayError("timed-out");
    };
    const runs = simulateRuns([...dueOrders(300, "BAD", hour), dueOrder("LOST", 0)], slow);
    await runs.runAt(start);
    expect(runs.asked).toContain("P-LOST");
  });
});

test("a failure that ends the checks of an order is not counted any more", async () => {
  const orders = [dueOrder("BAD", 9 * 24 * hour), dueOrder("GOOD", 0)];
  const runs = simulateRuns(orders, failsOn("BAD"));
  expect(await runs.runAt(start)).toMatchObject({ Unresolved: 1, Answered: 1 });
  expect(runs.order("BAD")).toMatchObject({
    failedChecks: undefined,
    state: { kind: "unresolved" },
  });
});

describe("an outage", () => {
  test("ends the run after ten orders from each end of the line, and counts no failure", async () => {
    const runs = simulateRuns(dueOrders(400, "O", hour), failing);
    const line = await runs.runAt(start);
    expect(line).toMatchObject({ outcome: "ended-by-failures", Asked: 20, QueryFailed: 20 });
    const numbers = runs.asked.map((paymentId) => Number(paymentId.slice(3)));
    expect(numbers.filter((number) => number < 10)).toHaveLength(10);
    expect(numbers.filter((number) => number >= 390)).toHaveLength(10);
    expect([...runs.items.values()].filter(({ failedChecks }) => failedChecks)).toEqual([]);
    // What it did not ask about keeps its time.
    expect([...runs.items.values()].filter(({ revision }) => revision > 1)).toHaveLength(20);
  });

  test("of a day leaves every order due within minutes of its end", async () => {
    let isDown = true;
    const runs = simulateRuns(dueOrders(30, "O", hour), () => (isDown ? failing() : pending));
    await runs.runEveryMinute(24 * hour);
    isDown = false;
    const before = runs.asked.length;
    for (let passed = 0; passed < 13; passed += 1) {
      await runs.runAt(start + 24 * hour + passed * minute);
    }
    expect(new Set(runs.asked.slice(before)).size).toBe(30);
  });

  test("that begins in the middle of a run does not end it, because the service has responded", async () => {
    let asked = 0;
    const runs = simulateRuns(dueOrders(60, "O", hour), () => (asked++ < 5 ? pending : failing()));
    expect(await runs.runAt(start)).toMatchObject({ outcome: "reconciled", Answered: 5 });
    expect(runs.asked).toHaveLength(60);
  });
});
