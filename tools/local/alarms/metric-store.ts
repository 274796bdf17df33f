import { keyOf, type MetricId, type ReadDatapoints } from "./metric.ts";
import type { WrittenMetric } from "./read-embedded-metrics.ts";

export interface MetricStore {
  readonly write: (written: WrittenMetric) => void;
  readonly read: ReadDatapoints;
  /** Drops the values before this time, but remembers that they were written. */
  readonly forgetBefore: (milliseconds: number) => void;
}

const minute = 60_000;

/** The metrics of a running stack, by minute. */
export function createMetricStore(): MetricStore {
  const metrics = new Map<string, Map<number, number[]>>();
  const minutesOf = (metric: MetricId) => {
    const key = keyOf(metric);
    const known = metrics.get(key);
    if (known !== undefined) return known;
    const minutes = new Map<number, number[]>();
    metrics.set(key, minutes);
    return minutes;
  };
  return {
    write: ({ metric, atMilliseconds, value }) => {
      const minutes = minutesOf(metric);
      const at = Math.floor(atMilliseconds / minute) * minute;
      const values = minutes.get(at);
      if (values === undefined) minutes.set(at, [value]);
      else values.push(value);
    },
    read: (metric, from, until) => {
      const minutes = metrics.get(keyOf(metric));
      if (minutes === undefined) return undefined;
      return [...minutes]
        .filter(([at]) => at >= from && at < until)
        .map(([minuteMilliseconds, values]) => ({ minuteMilliseconds, values }));
    },
    forgetBefore: (milliseconds) => {
      for (const minutes of metrics.values()) {
        for (const at of minutes.keys()) if (at < milliseconds) minutes.delete(at);
      }
    },
  };
}
