import { describe, expect, test } from "vitest";
import { judgeRefusals } from "../../../../tools/operations/refusals/judge-refusals.ts";

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
