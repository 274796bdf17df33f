import { describe, expect, test } from "vitest";
import { evaluateAlarm } from "../../../../tools/local/alarms/evaluate-alarm.ts";
import type { ReadDatapoints } from "../../../../tools/local/alarms/metric.ts";
import { readAlarm } from "../../../../tools/local/alarms/read-alarm.ts";
import { memoryMetrics } from "./memory-metrics.ts";

const minute = 60_000;
const now = Date.UTC(2026, 10, 15, 12);
const metric = { namespace: "N", name: "Oldest", dimensions: { service: "s" } };
const properties = {
  Namespace: "N",
  MetricName: "Oldest",
  Dimensions: [{ Name: "service", Value: "s" }],
  Statistic: "Maximum",
  Period: 300,
  EvaluationPeriods: 1,
  ComparisonOperator: "GreaterThanOrEqualToThreshold",
  Threshold: 5,
  TreatMissingData: "notBreaching",
};

/** What was written so many minutes ago. */
function written(...values: readonly (readonly [minutesAgo: number, value: number])[]) {
  return memoryMetrics(
    values.map(([minutesAgo, value]) => {
      return { metric, atMilliseconds: now - minutesAgo * minute, value };
    }),
  );
}

const stateAt = (read: ReadDatapoints, changes: object = {}, at = now) =>
  evaluateAlarm(readAlarm({ ...properties, ...changes }), read, at).value;

/** X is breaching, 0 is not, - is missing; the newest is the last, as in AWS's tables. */
function datapoints(text: string): ReadDatapoints {
  const periods = text.split(" ").toReversed();
  const values = periods.flatMap((sign, index) =>
    sign === "-" ? [] : [[index * 5 + 1, sign === "X" ? 9 : 1] as const],
  );
  return written(...values);
}

describe("missing data, by AWS's tables of examples", () => {
  const three = { EvaluationPeriods: 3 };
  const twoOfThree = { EvaluationPeriods: 3, DatapointsToAlarm: 2 };
  const kept = "INSUFFICIENT_DATA";

  test.each([
    ["0 - X - X", three, "OK", "OK", "OK"],
    ["0 - - - -", three, "OK", "OK", "OK"],
    ["- - - - -", three, kept, "ALARM", "OK"],
    ["0 X X - X", three, "ALARM", "ALARM", "ALARM"],
    ["- - X - -", three, kept, "ALARM", "OK"],
    ["- - - - X", twoOfThree, kept, "ALARM", "OK"],
    ["0 - X - X", twoOfThree, "ALARM", "ALARM", "ALARM"],
    ["0 0 X 0 X", twoOfThree, "ALARM", "ALARM", "ALARM"],
    ["0 - X - -", twoOfThree, "OK", "ALARM", "OK"],
  ])("%s with %j", (text, periods, ignore, breaching, notBreaching) => {
    const expected = { ignore, breaching, notBreaching };
    const found = Object.keys(expected).map((TreatMissingData) => {
      return [TreatMissingData, stateAt(datapoints(text), { ...periods, TreatMissingData })];
    });
    expect(Object.fromEntries(found)).toEqual(expected);
  });

  test("a metric that was never written is missing", () => {
    const read = memoryMetrics([]);
    expect(stateAt(read)).toBe("OK");
    expect(stateAt(read, { TreatMissingData: "breaching" })).toBe("ALARM");
    expect(stateAt(read, { TreatMissingData: "ignore" })).toBe("INSUFFICIENT_DATA");
  });
});

describe("the window of an alarm", () => {
  test("ends with the last whole minute, and moves on with each", () => {
    const read = written([1, 9]);
    expect(stateAt(read, {}, now - minute)).toBe("OK");
    expect(stateAt(read, {}, now - 1)).toBe("OK");
    expect(stateAt(read, {}, now)).toBe("ALARM");
  });

  test("is as long as the period: what comes after it decides alone", () => {
    const read = written([6, 9], [5, 1], [1, 1]);
    expect(stateAt(read)).toBe("OK");
    expect(stateAt(read, {}, now - minute)).toBe("ALARM");
  });

  test("of a metric with gaps looks back two periods more, unless FILL ends it", () => {
    const read = written([9, 9]);
    expect(stateAt(read)).toBe("ALARM");
    expect(stateAt(read, {}, now + 7 * minute)).toBe("OK");
    const { Namespace, MetricName, Dimensions, Statistic, Period, ...rule } = properties;
    const Metric = { Namespace, MetricName, Dimensions };
    const Metrics = [
      { Id: "sum", Expression: "FILL(one, 0)" },
      { Id: "one", MetricStat: { Metric, Period, Stat: Statistic }, ReturnData: false },
    ];
    expect(evaluateAlarm(readAlarm({ ...rule, Metrics }), read, now).value).toBe("OK");
  });
});

describe("a state", () => {
  const alarm = readAlarm(properties);

  test("says since when it is so", () => {
    const read = written([1, 9]);
    const quiet = evaluateAlarm(alarm, read, now - minute);
    const first = evaluateAlarm(alarm, read, now + 5_000, quiet);
    expect(first).toEqual({ value: "ALARM", sinceMilliseconds: now });
    expect(evaluateAlarm(alarm, read, now + minute, first)).toEqual(first);
    const later = now + 20 * minute;
    expect(evaluateAlarm(alarm, read, later, first)).toEqual({
      value: "OK",
      sinceMilliseconds: later,
    });
  });

  test("stays as it was where missing data is ignored", () => {
    const ignoring = readAlarm({ ...properties, TreatMissingData: "ignore" });
    const before = { value: "ALARM", sinceMilliseconds: 1 } as const;
    expect(evaluateAlarm(ignoring, memoryMetrics([]), now, before)).toEqual(before);
  });
});

test("other dimensions are another metric, in whichever order they are", () => {
  const other = { ...metric, dimensions: { service: "s", merchantId: "m" } };
  const read = memoryMetrics([{ metric: other, atMilliseconds: now - minute, value: 9 }]);
  expect(stateAt(read)).toBe("OK");
  const Dimensions = [
    { Name: "merchantId", Value: "m" },
    { Name: "service", Value: "s" },
  ];
  expect(stateAt(read, { Dimensions })).toBe("ALARM");
});

test.each([
  ["a statistic", { Statistic: "p99" }, /statistics Sum, Maximum, SampleCount/],
  ["a comparison", { ComparisonOperator: "LessThanThreshold" }, /GreaterThanOrEqualToThreshold/],
  ["a treatment", { TreatMissingData: "missing" }, /TreatMissingData/],
  ["no treatment", { TreatMissingData: undefined }, /TreatMissingData/],
  ["a reference that was not resolved", { Namespace: { Ref: "X" } }, /Namespace/],
])(
  "%s that the local stack does not know is refused when it is read",
  (_case, changes, message) => {
    expect(() => readAlarm({ ...properties, ...changes })).toThrow(message);
  },
);

test("metrics with different periods, a missing metric and a second expression are refused", () => {
  const stat = (Id: string, Period: number) => {
    const { Namespace, MetricName, Dimensions } = properties;
    return {
      Id,
      MetricStat: { Metric: { Namespace, MetricName, Dimensions }, Period, Stat: "Sum" },
    };
  };
  const alarmOf = (...Metrics: object[]) => ({ ...properties, Metrics });
  const sum = { Id: "sum", Expression: "one + other" };
  expect(() => readAlarm(alarmOf(sum, stat("one", 60), stat("other", 300)))).toThrow(/one period/);
  expect(() => readAlarm(alarmOf(sum, stat("one", 60)))).toThrow("no metric other");
  const two = [sum, { ...sum, Id: "again" }, stat("one", 60), stat("other", 60)];
  expect(() => readAlarm(alarmOf(...two))).toThrow(/one expression/);
});
