import {
  type CloudWatchClient,
  GetMetricDataCommand,
  type MetricDataResult,
} from "@aws-sdk/client-cloudwatch";
import type { StackFunction } from "../ports/functions.ts";
import {
  type CountOf,
  countWith,
  firstMinuteOf,
  keepAMinute,
  type Metric,
  metricKey,
  minuteMilliseconds,
  minuteOf,
  type Range,
  type ReadMetrics,
} from "../ports/metrics.ts";

interface Source {
  readonly client: CloudWatchClient;
  readonly functions: readonly StackFunction[];
}

/** What CloudWatch has counted. It is some minutes behind. GetMetricData takes 500 queries: one call is enough. */
export function countInCloudWatch(source: Source, now: () => number): ReadMetrics {
  const keep = keepAMinute<CountOf>(now);
  return async (metrics, range) =>
    await keep(JSON.stringify([metrics, range]), () => countAtAws(source, metrics, range, now()));
}

async function countAtAws(
  source: Source,
  metrics: readonly Metric[],
  range: Range,
  nowMilliseconds: number,
): Promise<CountOf> {
  const first = firstMinuteOf(range, nowMilliseconds);
  const results = await ask(source, metrics, range, first);
  return countWith(range, first, (wanted) => {
    const asked = metrics.findIndex((metric) => metricKey(metric) === metricKey(wanted));
    const result = results.find(({ Id }) => Id === `m${asked}`);
    return perStep(result, range, first);
  });
}

async function ask(
  { client, functions }: Source,
  metrics: readonly Metric[],
  { steps, stepMinutes }: Range,
  first: number,
): Promise<readonly MetricDataResult[]> {
  const namespace = functions
    .map(({ environment }) => environment["METRICS_NAMESPACE"])
    .find(Boolean);
  const command = new GetMetricDataCommand({
    StartTime: new Date(first * minuteMilliseconds),
    EndTime: new Date((first + steps * stepMinutes) * minuteMilliseconds),
    MetricDataQueries: metrics.map(({ service, name, merchantId }, index) => ({
      Id: `m${index}`,
      MetricStat: {
        Metric: {
          Namespace: namespace,
          MetricName: name,
          Dimensions: [
            { Name: "service", Value: service },
            ...(merchantId === undefined ? [] : [{ Name: "merchantId", Value: merchantId }]),
          ],
        },
        Period: stepMinutes * 60,
        Stat: "Sum",
      },
    })),
  });
  return (await client.send(command)).MetricDataResults ?? [];
}

/** CloudWatch omits steps in which nothing was counted. */
function perStep(
  result: MetricDataResult | undefined,
  { steps, stepMinutes }: Range,
  first: number,
): number[] {
  const counts = Array.from({ length: steps }, () => 0);
  for (const [index, time] of (result?.Timestamps ?? []).entries()) {
    const step = Math.floor((minuteOf(time.getTime()) - first) / stepMinutes);
    if (step in counts) counts[step] = result?.Values?.[index] ?? 0;
  }
  return counts;
}
