import { keyOf, type ReadDatapoints } from "../../../../tools/local/alarms/metric.ts";
import type { WrittenMetric } from "../../../../tools/local/alarms/read-embedded-metrics.ts";

const minute = 60_000;

/** Metrics that a test has written. */
export function memoryMetrics(written: readonly WrittenMetric[]): ReadDatapoints {
  return (metric, fromMilliseconds, untilMilliseconds) => {
    const known = written.filter(
      (write) => keyOf(write.metric) === keyOf(metric) && write.atMilliseconds < untilMilliseconds,
    );
    if (known.length === 0) return undefined;
    return known
      .filter(({ atMilliseconds }) => atMilliseconds >= fromMilliseconds)
      .map(({ atMilliseconds, value }) => {
        const minuteMilliseconds = Math.floor(atMilliseconds / minute) * minute;
        return { minuteMilliseconds, values: [value] };
      });
  };
}
