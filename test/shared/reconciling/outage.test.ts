import { expect, test } from "vitest";
import { GatewayError } from "../../../shared/gateway/gateway-error.ts";
import {
  dueOrder,
  dueOrders,
  hour,
  type Line,
  minute,
  simulateRuns,
  start,
} from "./simulated-runs.ts";

const sumOf = (lines: readonly Line[], name: string) =>
  lines.reduce((sum, line) => sum + Number(line[name] ?? 0), 0);

/** The two values that the alarm reconciliation-failing takes from an hour. */
function hourOf(lines: readonly Line[], index: number) {
  const ofHour = lines.slice(60 * index, 60 * (index + 1));
  const unusable = ["QueryFailed", "ServiceRefused", "UnreadableAnswer"];
  return {
    asked: sumOf(ofHour, "Asked"),
    unusable: unusable.reduce((sum, name) => sum + sumOf(ofHour, name), 0),
  };
}

const notFound = new GatewayError("refused", { refusal: { code: "http-404", msg: "" } });

test.each([
  ["is down", new GatewayError("timed-out")],
  ["refuses every question", notFound],
  ["gives answers that cannot be read", { status: "unheard-of" }],
])(
  "while the service %s, every hour has enough questions without a usable answer for the alarm",
  async (_case, answer) => {
    const runs = simulateRuns(dueOrders(40, "O", minute), () => answer);
    await runs.runEveryMinute(3 * hour);
    for (const index of [0, 1, 2]) {
      const { asked, unusable } = hourOf(runs.lines, index);
      expect(asked).toBeGreaterThanOrEqual(3);
      expect(unusable).toBe(asked);
    }
    // Each failure moves its order back in the line, so no order is ever late.
    const late = runs.lines.map((line) => Number(line["OldestDueSeconds"]));
    expect(Math.max(...late)).toBeLessThan(hour / 1000);
  },
);

test("a single order whose questions fail is asked about three times in the first hour", async () => {
  const runs = simulateRuns([dueOrder("O", 0)], () => new GatewayError("timed-out"));
  await runs.runEveryMinute(hour);
  expect(hourOf(runs.lines, 0).asked).toBeGreaterThanOrEqual(3);
});

test("a run asks about 150 orders", async () => {
  const runs = simulateRuns(dueOrders(400, "O", hour), () => ({ status: "pending" }));
  const { Asked } = await runs.runAt(start);
  expect(Asked).toBeGreaterThanOrEqual(150);
  expect(Asked).toBeLessThan(165);
});
