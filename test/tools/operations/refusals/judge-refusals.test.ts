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
      acceptedUntil: since + 60_000,
    });
    expect(judged([0, 9, 1, 2], [4, 1, 0, 0])).toMatchObject({ kind: "all", count: 3 });
    expect(judged([3, 0], [0, 0])).toEqual({ kind: "all", count: 3, acceptedUntil: undefined });
  });

  test("are forged or foreign, if others were accepted after them", () => {
    expect(judged([5, 0], [0, 1])).toEqual({
      kind: "some",
      count: 5,
      accepted: 1,
      acceptedUntil: since + 120_000,
    });
    expect(judged([5, 5], [2, 1])).toMatchObject({ kind: "some", count: 10, accepted: 3 });
  });

  test("are not explained, if they are few or if nobody knows which came first", () => {
    expect(judged([0, 2], [4, 0])).toEqual({ kind: "unclear", count: 2 });
    expect(judged([0, 8], [4, 1])).toEqual({ kind: "unclear", count: 8 });
  });
});
