import { expect, test } from "vitest";
import { isExpected } from "../../../shared/orders/order.ts";
import { anOrder, expected, other } from "./facts.ts";

test.each([
  ["the amount of the order", expected, expected, true],
  ["another amount", expected, other, false],
  ["no amount", expected, undefined, false],
  ["any amount, if the order was created elsewhere", undefined, expected, false],
  ["no amount, if the order was created elsewhere", undefined, undefined, false],
])("an amount is the expected one or not: %s", (_case, ofOrder, amount, isSame) => {
  expect(isExpected(anOrder({ expected: ofOrder }), amount)).toBe(isSame);
});
