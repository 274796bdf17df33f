import { describe, expect, test } from "vitest";
import { countWith, type ReadMetrics } from "../../../../tools/operations/ports/metrics.ts";
import {
  judgeRefusals,
  readRefusals,
} from "../../../../tools/operations/refusals/judge-refusals.ts";

const since = Date.UTC(2026, 10, 17, 8, 0);
const counts = (perStep: readonly number[]) => ({
  total: perStep.reduce((sum, count) => sum + count, 0),
  perStep,
  stepMinutes: 1,
  since,
});
const judged = (refused: readonly number[], accepted: readonly number[]) =>
  judgeRefusals({ refused: counts(refused), accepted: counts(accepted) });

describe("callbacks that were refused", () => {
  test("are none without a refusal", () => {
    expect(judged([0, 0], [1, 2])).toBeUndefined();
  });

  test("are all, if none was accepted later: then it says until when some were accepted", () => {
    expect(judged([0, 2, 1], [4, 0, 0])).toEqual({
      kind: "all",
      count: 3,
      accepted: 4,
      firstAt: since + 60_000,
      lastAt: since + 120_000,
      acceptedUntil: since + 60_000,
    });
    expect(judged([0, 9, 1, 2], [4, 1, 0, 0])).toMatchObject({ kind: "all", count: 3 });
    expect(judged([3, 0], [0, 0])).toMatchObject({ kind: "all", acceptedUntil: undefined });
  });

  test("are some, if others were accepted after them", () => {
    expect(judged([5, 0], [0, 1])).toEqual({
      kind: "some",
      count: 5,
      accepted: 1,
      firstAt: since,
      lastAt: since,
      acceptedUntil: since + 120_000,
    });
    expect(judged([5, 5], [2, 1])).toMatchObject({ kind: "some", count: 10, accepted: 3 });
  });

  test("are not explained, if they are few or if nobody knows which came first", () => {
    expect(judged([0, 2], [4, 0])).toMatchObject({ kind: "unclear", count: 2 });
    expect(judged([0, 8], [4, 1])).toMatchObject({ kind: "unclear", count: 8 });
  });
});

describe("a shop with few orders", () => {
  /** Counts by the minutes that passed since. */
  const metricsOf =
    (minutesAgo: Readonly<Record<string, readonly number[]>>): ReadMetrics =>
    async (_metrics, range) =>
      countWith(range, 0, ({ name }) => {
        const perStep = Array.from({ length: range.steps }, () => 0);
        for (const minutes of minutesAgo[name] ?? []) {
          const step = range.steps - 1 - Math.floor(minutes / range.stepMinutes);
          if (step >= 0) perStep[step]! += 1;
        }
        return perStep;
      });
  const read = (NotAuthentic: number[], Accepted: number[] = []) =>
    readRefusals(metricsOf({ NotAuthentic, Accepted }), "shop-1");

  test("has wrong keys, if each hour a retry is refused and none was accepted in six", async () => {
    expect(await read([20, 80, 140])).toMatchObject({ kind: "all", count: 3 });
    expect(await read([80, 140, 200])).toMatchObject({ kind: "all", count: 3 });
  });

  test("keeps the judgement of the hour, if others were accepted between", async () => {
    expect(await read([20, 80, 140], [100])).toMatchObject({ kind: "unclear", count: 1 });
    expect(await read([20, 80, 140], [10])).toMatchObject({ kind: "some", count: 1 });
  });
});
