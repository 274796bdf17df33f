import { describe, expect, test } from "vitest";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { GatewayError } from "../../../shared/gateway/gateway-error.ts";
import { dueOrder, hour, minute, saveIn, simulateRuns, start } from "./simulated-runs.ts";

const pending = { status: "pending" };
const paid = { status: "success", payAmount: 12.5, currency: "EUR", transactionId: "T1" };
const paymentIds = ["P1", "P2", "P3"];
const three = () => dueOrder("O", hour, { paymentIds });
const fromTheFirst = { random: () => 0 };

describe("an order with several payments", () => {
  test("is asked about the others when the question about one fails", async () => {
    const runs = simulateRuns(
      [three()],
      (id) => (id === "P1" ? new GatewayError("unreadable") : id === "P2" ? paid : pending),
      fromTheFirst,
    );
    const line = await runs.runAt(start);
    expect(runs.asked).toEqual(paymentIds);
    expect(line).toMatchObject({
      outcome: "reconciled",
      reason: "gateway-unreadable",
      aggregateKeys: ["M1#order#O"],
      Asked: 3,
      Answered: 2,
      QueryFailed: 1,
      News: 1,
    });
  });

  test("counts as failed if one question failed: its check is made again soon", async () => {
    const runs = simulateRuns([three()], (id) =>
      id === "P2" ? new GatewayError("timed-out") : pending,
    );
    await runs.runAt(start);
    const { dueAtMilliseconds, revision, failedChecks } = runs.order("O");
    expect(dueAtMilliseconds).toBeLessThan(start + 13 * minute);
    // Stored, claimed, renewed twice. The service responds, so the failure is counted.
    expect(revision).toBe(5);
    expect(failedChecks).toBe(1);
  });

  test.each([
    [0, ["P1", "P2", "P3"]],
    [0.5, ["P2", "P3", "P1"]],
    [0.99, ["P3", "P1", "P2"]],
  ])("is asked beginning with another payment each time (random %d)", async (random, asked) => {
    const runs = simulateRuns([three()], () => pending, { random: () => random });
    await runs.runAt(start);
    expect(runs.asked).toEqual(asked);
  });

  test("is left to a later run when the time is over before the next question", async () => {
    let questions = 0;
    const runs = simulateRuns([three()], () => pending, {
      ...fromTheFirst,
      hasTimeToAsk: () => questions++ < 2,
    });
    const line = await runs.runAt(start);
    expect(runs.asked).toEqual(["P1", "P2"]);
    expect(line).toMatchObject({ outcome: "reconciled", Asked: 2, Answered: 2 });
    // As the claim has set it: the usual gap would be an hour.
    expect(runs.order("O").dueAtMilliseconds).toBeLessThan(start + 13 * minute);
  });

  test("waits for its turn before each question", async () => {
    const turns: string[] = [];
    const runs = simulateRuns(
      [three()],
      (id) => {
        turns.push(id);
        return pending;
      },
      { ...fromTheFirst, waitForTurn: async () => void turns.push("turn") },
    );
    await runs.runAt(start);
    expect(turns).toEqual(["turn", "P1", "turn", "P2", "turn", "P3"]);
  });

  test("is not asked about the next payment when the claim was lost, and not written", async () => {
    const runs = simulateRuns(
      [three()],
      () => {
        saveIn(runs.items, runs.order("O"));
        return pending;
      },
      fromTheFirst,
    );
    await runs.runAt(start);
    expect(runs.asked).toEqual(["P1"]);
    // Stored, claimed, and written by the other one.
    expect(runs.order("O").revision).toBe(3);
  });

  test("is not asked about the rest when its merchant's keys cannot be used", async () => {
    const runs = simulateRuns([three()], () => new PaycastError("keys-unset", "none"));
    expect(await runs.runAt(start)).toMatchObject({ outcome: "reconciled", Asked: 1 });
  });

  test("is not asked about the rest when the run has failed too often", async () => {
    const many = Array.from({ length: 25 }, (_item, index) => `P${index}`);
    const order = dueOrder("O", hour, { paymentIds: many });
    const runs = simulateRuns([order], () => new GatewayError("timed-out"), fromTheFirst);
    const line = await runs.runAt(start);
    expect(line).toMatchObject({ outcome: "ended-by-failures", Asked: 20, QueryFailed: 20 });
    expect(runs.asked).toEqual(many.slice(0, 20));
  });
});
