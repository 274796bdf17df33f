import { describe, expect, test } from "vitest";
import {
  evaluateExpression,
  type Series,
} from "../../../../tools/local/alarms/evaluate-expression.ts";
import { metricsIn, parseExpression } from "../../../../tools/local/alarms/parse-expression.ts";

type Values = readonly (number | undefined)[];

/** A series without any value was never written, unless the test says so. */
const series = (values: Values, hasData = values.some((value) => value !== undefined)): Series => {
  return { values, hasData };
};

function evaluate(text: string, metrics: Record<string, Series>): Values {
  const periods = Object.values(metrics)[0]!.values.length;
  return evaluateExpression(parseExpression(text), (id) => metrics[id]!, periods).values;
}

const none = undefined;
const never = series([none, none]);

/** The examples of AWS's page on metric math. */
describe("as AWS documents it", () => {
  const metric1 = series([30, 20, 0, 0]);
  const metric2 = series([20, none, 20, none]);

  test.each([
    ["metric1 < metric2", [0, 0, 1, 0]],
    ["metric1 >= 30", [1, 0, 0, 0]],
    ["metric1 + metric2", [50, 20, 20, 0]],
    ["metric1 - metric2", [10, 20, -20, 0]],
    ["metric2 / metric1", [20 / 30, 0, none, none]],
    ["FILL(metric2, 10)", [20, 10, 20, 10]],
  ])("%s", (text, expected) => {
    expect(evaluate(text, { metric1, metric2 })).toEqual(expected);
  });

  const condition = series([1, 1, 0, 0, none]);
  const then = series([30, none, 0, 0, 30]);
  const otherwise = series([0, 0, 20, none, 20]);

  test.each([
    ["IF(condition, then, otherwise)", [30, 0, 20, none, none]],
    ["IF(condition, 5, otherwise)", [5, 5, 20, none, none]],
    ["IF(condition, then, 5)", [30, 0, 5, 5, none]],
  ])("%s", (text, expected) => {
    expect(evaluate(text, { condition, then, otherwise })).toEqual(expected);
  });
});

describe("a metric that was never written", () => {
  const written = series([2, none]);

  test.each([
    ["FILL(never, 0)", [none, none]],
    ["never >= 0", [none, none]],
    ["IF(never == 0, written, 0)", [none, none]],
    ["IF(FILL(never, 0) < 1, 1, 0)", [none, none]],
    ["FILL(never + never, 0)", [none, none]],
    ["written + never", [2, none]],
    ["FILL((never >= 1) + (written >= 1), 0)", [1, 0]],
  ])("%s", (text, expected) => {
    expect(evaluate(text, { never, written })).toEqual(expected);
  });

  test("is not one that has a gap", () => {
    const gap = series([none, none], true);
    expect(evaluate("FILL(gap, 0)", { gap })).toEqual([0, 0]);
    expect(evaluate("IF(FILL(gap, 0) < 1, 1, 0)", { gap })).toEqual([1, 1]);
  });
});

test("products come before sums, sums before comparisons, and brackets before all", () => {
  const m = series([4]);
  expect(evaluate("m + 2 * 3 >= 10", { m })).toEqual([1]);
  expect(evaluate("(m + 2) * 3 - 8 / 2 / 2", { m })).toEqual([16]);
  expect(evaluate("2.5 * 2 == 5", { m })).toEqual([1]);
});

test("the metrics of an expression are those that it names", () => {
  const text = "FILL(IF((whole) >= 3, 100 * (part) / (whole), 0), 0)";
  expect(new Set(metricsIn(parseExpression(text)))).toEqual(new Set(["whole", "part"]));
});

test.each([
  ["SUM([a, b])", "["],
  ["MAX(a)", "MAX"],
  ["a AND b", "AND"],
  ["FILL(a, REPEAT)", "REPEAT"],
  ["FILL(a, b)", "FILL"],
  ["FILL(a)", "FILL"],
  ["IF(a, b)", "IF"],
  ["IF(a, 1, 2, 3)", ","],
  ["a ^ 2", "^"],
  ["a +", "its end"],
  ["(a", "its end"],
  ["a b", "b"],
  ["", "its end"],
])("%j is refused, with what is not known", (text, part) => {
  expect(() => parseExpression(text)).toThrow(`cannot evaluate the metric math ${text}`);
  expect(() => parseExpression(text)).toThrow(part);
});
