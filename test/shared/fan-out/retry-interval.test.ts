import { expect, test } from "vitest";
import { nextAttemptAt } from "../../../shared/fan-out/retry-interval.ts";

test("the interval doubles from a minute to an hour and stays there", () => {
  const now = Date.UTC(2026, 10, 15);
  const minutes = [0, 1, 2, 5, 6, 7, 100, 1_000_000].map(
    (attempts) => (Date.parse(nextAttemptAt(now, attempts)) - now) / 60_000,
  );
  expect(minutes).toEqual([1, 2, 4, 32, 60, 60, 60, 60]);
});
