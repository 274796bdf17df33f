import type { Expression, Operator } from "./parse-expression.ts";

/** One value for each period, the newest first. A value is undefined if the period has no data. */
export interface Series {
  readonly values: readonly (number | undefined)[];
  /**
   * False if nothing was ever written. AWS does not document that FILL returns values then, so it returns none here.
   */
  readonly hasData: boolean;
}

type Value = number | Series;

/** The value of an expression in each period, from the series of its metrics. */
export function evaluateExpression(
  expression: Expression,
  seriesOf: (id: string) => Series,
  periods: number,
): Series {
  const evaluate = (inner: Expression): Value => {
    switch (inner.kind) {
      case "number":
        return inner.value;
      case "metric":
        return seriesOf(inner.id);
      case "fill":
        return fill(evaluate(inner.of), inner.value);
      case "if":
        return choose(inner.parts.map(evaluate), periods);
      case "operation":
        return combine(inner.operator, evaluate(inner.left), evaluate(inner.right), periods);
    }
  };
  return seriesFrom(evaluate(expression), periods);
}

function fill(value: Value, missing: number): Value {
  if (typeof value === "number" || !value.hasData) return value;
  return { ...value, values: value.values.map((known) => known ?? missing) };
}

const results: Readonly<Record<Operator, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "==": (left, right) => Number(left === right),
  "!=": (left, right) => Number(left !== right),
  "<": (left, right) => Number(left < right),
  "<=": (left, right) => Number(left <= right),
  ">": (left, right) => Number(left > right),
  ">=": (left, right) => Number(left >= right),
};

/**
 * Between two series, CloudWatch treats a missing value as 0 if the other one has a value. Compared with a number, a
 * missing value stays missing. A division by zero has no value.
 */
function combine(operator: Operator, left: Value, right: Value, periods: number): Value {
  const result = results[operator];
  if (typeof left === "number" && typeof right === "number") return result(left, right);
  const areBothSeries = typeof left !== "number" && typeof right !== "number";
  const [ofLeft, ofRight] = [seriesFrom(left, periods), seriesFrom(right, periods)];
  return {
    hasData: areBothSeries ? ofLeft.hasData || ofRight.hasData : ofLeft.hasData && ofRight.hasData,
    values: ofLeft.values.map((leftValue, period) => {
      const rightValue = ofRight.values[period];
      const isMissing = areBothSeries
        ? leftValue === undefined && rightValue === undefined
        : leftValue === undefined || rightValue === undefined;
      return isMissing ? undefined : finite(result(leftValue ?? 0, rightValue ?? 0));
    }),
  };
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

/**
 * IF for each period: no value where the condition has none, 0 where it is true and the second part has no value, none
 * where it is false and the third part has none.
 */
function choose(parts: readonly Value[], periods: number): Series {
  const [condition, then, otherwise] = parts.map((part) => seriesFrom(part, periods));
  return {
    hasData: condition?.hasData === true,
    values: (condition?.values ?? []).map((isTrue, period) => {
      if (isTrue === undefined) return undefined;
      return isTrue !== 0 ? (then?.values[period] ?? 0) : otherwise?.values[period];
    }),
  };
}

function seriesFrom(value: Value, periods: number): Series {
  if (typeof value !== "number") return value;
  return { values: Array.from({ length: periods }, () => value), hasData: true };
}
