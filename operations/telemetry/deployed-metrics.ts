import { GetMetricDataCommand, type MetricDataResult } from "@aws-sdk/client-cloudwatch";
import type { Target } from "../target/target.ts";
import { keepAMinute } from "./keep-a-minute.ts";
import {
  type CountOf,
  countWith,
  firstMinuteOf,
  type Metric,
  minuteMilliseconds,
  minuteOf,
  type Range,
  type ReadMetrics,
} from "./metric.ts";

/** What CloudWatch has counted. It is some minutes behind. GetMetricData takes 500 queries: one call is enough. */
export function createDeployedMetrics(target: Target, now: () => number): ReadMetrics {
  const keep = keepAMinute<CountOf>(now);
  return async (metrics, range) =>
    await keep(JSON.stringify([metrics, range]), () => count(target, metrics, range, now()));
}

async function count(
  target: Target,
  metrics: readonly Metric[],
  range: Range,
  nowMilliseconds: number,
): Promise<CountOf> {
  const first = firstMinuteOf(range, nowMilliseconds);
  const results = await ask(target, metrics, range, first);
  return countWith(range, first, ({ service, name }) => {
    const asked = metrics.findIndex((one) => one.service === service && one.name === name);
    const result = results.find(({ Id }) => Id === `m${asked}`);
    return perStep(result, range, first);
  });
}

async function ask(
  { clients, functions }: Target,
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
    MetricDataQueries: metrics.map(({ service, name }, index) => ({
      Id: `m${index}`,
      MetricStat: {
        Metric: {
          Namespace: namespace,
          MetricName: name,
          Dimensions: [{ Name: "service", Value: service }],
        },
        Period: stepMinutes * 60,
        Stat: "Sum",
      },
    })),
  });
  return (await clients.cloudWatch.send(command)).MetricDataResults ?? [];
}

/** CloudWatch leaves out steps in which nothing was counted. */
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
