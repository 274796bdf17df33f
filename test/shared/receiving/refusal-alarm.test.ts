import { expect, test } from "vitest";
import { fewestInQuietShop, quietShopMinutes } from "../../../shared/receiving/refusal-alarm.ts";

test("a shop with one callback in two hours raises the alarm, and CloudWatch evaluates its period", () => {
  expect(quietShopMinutes / fewestInQuietShop).toBeGreaterThanOrEqual(120);
  const day = 24 * 60;
  expect(quietShopMinutes).toBeLessThanOrEqual(day);
  expect(Number.isInteger(quietShopMinutes)).toBe(true);
});
