import { expect, test } from "vitest";
import { retryDelaySeconds } from "../../../shared/processing/give-back.ts";

const delays = (random: number) =>
  [1, 2, 3, 4, 5, 6, 7, 1000].map((count) => retryDelaySeconds(count, () => random));

test("a message that is given back is seen again after seconds, which double up to a minute", () => {
  expect(delays(1)).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
});

test("the delays are jittered, and never none", () => {
  expect(delays(0)).toEqual([2, 3, 6, 12, 24, 45, 45, 45]);
  expect(retryDelaySeconds(0, () => 0)).toBeGreaterThanOrEqual(1);
});
