import { describe, expect, test } from "vitest";
import { GatewayError } from "../../../shared/gateway/gateway-error.ts";
import type { Order } from "../../../shared/orders/order.ts";
import { anAttempt, asCreated } from "../orders/facts.ts";
import { day, dueOrder, dueOrders, minute, saveIn, simulateRuns, start } from "./simulated-runs.ts";

const pending = { status: "pending" };
const paid = { status: "success", payAmount: 12.5, currency: "EUR", transactionId: "T1" };

/** An order that may be paid for a day and was created so long ago. */
function longOrder(orderNo: string, ageMilliseconds: number): Order {
  const { dueAtMilliseconds: _due, dueShard: _shard, ...order } = dueOrder(orderNo, 0);
  const startedAtMilliseconds = start - ageMilliseconds;
  const paymentId = `P-${orderNo}`;
  return asCreated({
    ...order,
    attempts: [anAttempt({ attemptId: paymentId, paymentId, startedAtMilliseconds })],
    creation: { ...order.creation!, expiresAtMilliseconds: startedAtMilliseconds + day },
  });
}

describe("an order that may be paid for a day", () => {
  test("is asked about once when it is thirty minutes old, and a lost success is found", async () => {
    const runs = simulateRuns([longOrder("LONG", 29 * minute)], () => paid);
    await runs.runAt(start);
    expect(runs.asked).toEqual([]);
    expect(await runs.runAt(start + minute)).toMatchObject({ Asked: 1, News: 1 });
    expect(runs.inbox).toHaveLength(1);
    await runs.runEveryMinute(20 * minute);
    expect(runs.asked).toEqual(["P-LONG"]);
  });

  test.each([
    ["the status it has", pending, true],
    ["no answer", new GatewayError("timed-out"), false],
  ])(
    "keeps its first check after %s, and no failure is counted",
    async (_case, answer, isAnswered) => {
      const order = longOrder("LONG", 30 * minute);
      const runs = simulateRuns([order, dueOrder("OTHER", 0)], (id) =>
        id === "P-LONG" ? answer : pending,
      );
      await runs.runAt(start);
      expect(runs.asked).toContain("P-LONG");
      const after = runs.order("LONG");
      expect(after.dueAtMilliseconds).toBe(order.dueAtMilliseconds);
      expect(after).toMatchObject({ earlyAtMilliseconds: undefined, failedChecks: undefined });
      expect(after.question.kind).toBe(isAnswered ? "answered" : "asking");
    },
  );

  test("is asked after all that is due, and not at all if no time is left within five minutes", async () => {
    const runs = simulateRuns(
      [longOrder("LONG", 30 * minute), ...dueOrders(1_000, "DUE", minute)],
      () => pending,
    );
    for (let passed = 0; passed <= 5; passed += 1) await runs.runAt(start + passed * minute);
    expect(runs.asked).not.toContain("P-LONG");
    await runs.runAt(start + 6 * minute);
    await runs.runAt(start + 7 * minute);
    expect(runs.asked).not.toContain("P-LONG");
  });

  test("is not asked while the service is down", async () => {
    const runs = simulateRuns(
      [longOrder("LONG", 30 * minute), ...dueOrders(25, "DUE", minute)],
      () => new GatewayError("timed-out"),
    );
    await runs.runAt(start);
    expect(runs.asked).not.toContain("P-LONG");
  });

  test("is left alone if it ended, or was asked about, since the index was read", async () => {
    const order = longOrder("LONG", 30 * minute);
    const runs = simulateRuns([order], () => pending);
    runs.items.set(order.aggregateKey, { ...order, revision: 1 });
    const late = simulateRuns([order], () => pending, {
      loadOrder: async () => ({ ...order, earlyAtMilliseconds: undefined, revision: 1 }),
    });
    await late.runAt(start);
    expect(late.asked).toEqual([]);
    const lost = simulateRuns([order], () => pending, {
      saveOrder: async (next) => {
        saveIn(lost.items, lost.order("LONG"));
        return saveIn(lost.items, next);
      },
    });
    await lost.runAt(start);
    expect(lost.asked).toEqual([]);
  });
});
