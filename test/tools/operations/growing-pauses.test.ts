import { expect, test } from "vitest";
import { growingPauses } from "../../../tools/operations/growing-pauses.ts";

test("pauses begin short, and grow up to the longest", () => {
  const pauses = growingPauses(50);
  expect(Array.from({ length: 5 }, () => pauses.next().value)).toEqual([20, 30, 45, 50, 50]);
});
