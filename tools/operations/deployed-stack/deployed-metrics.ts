import type { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import type { StackFunction } from "../ports/functions.ts";
import { keepAMinute, type Metrics, pointsWithin, type StackAlarm } from "../ports/metrics.ts";
import { countInCloudWatch } from "./count-metrics.ts";
import { readAlarms } from "./read-alarms.ts";
import { createSeriesReader } from "./read-queue-series.ts";

interface MeteredStack {
  readonly stackName: string;
  readonly functions: readonly StackFunction[];
}

/** What CloudWatch has counted, and its alarms. */
export function deployedMetrics(
  client: CloudWatchClient,
  { stackName, functions }: MeteredStack,
  now: () => number,
): Metrics {
  const keep = keepAMinute<readonly StackAlarm[]>(now);
  const readSeries = createSeriesReader(client, now);
  return {
    count: countInCloudWatch({ client, functions }, now),
    queueSeries: async (url, wanted) => pointsWithin(await readSeries(url, wanted), wanted, now()),
    ringingAlarms: () => keep("", () => readAlarms(client, stackName, { StateValue: "ALARM" })),
    allAlarms: () => readAlarms(client, stackName),
  };
}
