import { evaluateExpression, type Series } from "./evaluate-expression.ts";
import type { ReadDatapoints } from "./metric.ts";
import type { Alarm, MetricStat } from "./read-alarm.ts";
import { statistics } from "./statistics.ts";

export interface AlarmState {
  readonly value: "OK" | "ALARM" | "INSUFFICIENT_DATA";
  /** When the alarm entered this state. */
  readonly sinceMilliseconds: number;
}

const minute = 60_000;

/**
 * CloudWatch reads more periods than it evaluates, and uses the newest ones that have data. The exact number is not
 * documented; the documented examples read five periods for three.
 */
const morePeriods = 2;

/**
 * The state of an alarm at a time. Like CloudWatch, it evaluates whole minutes in a sliding window, once a minute.
 * `before` is the state of the last evaluation.
 */
export function evaluateAlarm(
  alarm: Alarm,
  read: ReadDatapoints,
  nowMilliseconds: number,
  before?: AlarmState,
): AlarmState {
  const untilMilliseconds = Math.floor(nowMilliseconds / minute) * minute;
  const periods = alarm.evaluationPeriods + morePeriods;
  const seriesOf = (id: string) => readSeries(alarm, id, read, untilMilliseconds, periods);
  const { values } = evaluateExpression(alarm.expression, seriesOf, periods);
  const value = stateOf(alarm, values) ?? before?.value ?? "INSUFFICIENT_DATA";
  if (before?.value === value) return before;
  return { value, sinceMilliseconds: untilMilliseconds };
}

function readSeries(
  alarm: Alarm,
  id: string,
  read: ReadDatapoints,
  untilMilliseconds: number,
  periods: number,
): Series {
  const stat = alarm.metrics.get(id);
  if (stat === undefined) throw new Error(`The alarm has no metric ${id}.`);
  const { periodMilliseconds } = alarm;
  const from = untilMilliseconds - periods * periodMilliseconds;
  const hasData = read(stat.metric, from, untilMilliseconds) !== undefined;
  const values = Array.from({ length: periods }, (_item, index) => {
    const until = untilMilliseconds - index * periodMilliseconds;
    return readPeriod(stat, read, until - periodMilliseconds, until);
  });
  return { values, hasData };
}

function readPeriod(
  { metric, statistic }: MetricStat,
  read: ReadDatapoints,
  fromMilliseconds: number,
  untilMilliseconds: number,
): number | undefined {
  const datapoints = read(metric, fromMilliseconds, untilMilliseconds) ?? [];
  const values = datapoints.flatMap((datapoint) => datapoint.values);
  return values.length === 0 ? undefined : statistics[statistic](values);
}

/** Undefined if the state does not change. Missing values count only if there are too few others. */
function stateOf(
  alarm: Alarm,
  values: readonly (number | undefined)[],
): AlarmState["value"] | undefined {
  const { threshold, evaluationPeriods, datapointsToAlarm, missingData } = alarm;
  const known = values.filter((value) => value !== undefined).slice(0, evaluationPeriods);
  const breaching = known.filter((value) => value >= threshold).length;
  const missing = evaluationPeriods - known.length;
  const counted = breaching + (missingData === "breaching" ? missing : 0);
  if (counted >= datapointsToAlarm) return "ALARM";
  const isUnclear = missingData === "ignore" && missing > 0 && breaching === known.length;
  return isUnclear ? undefined : "OK";
}
