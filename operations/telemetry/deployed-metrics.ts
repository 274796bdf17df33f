import { GetMetricDataCommand, type MetricDataResult } from "@aws-sdk/client-cloudwatch";
import type { Target } from "../target/target.ts";
import { keepAMinute } from "./keep-a-minute.ts";
import {
  type CountOf,
  countWith,
  type Metric,
  minuteMilliseconds,
  minuteOf,
  type ReadMetrics,
} from "./metric.ts";

/** GetMetricData takes 500 queries; one call is enough for all that is asked here. */
const periodSeconds = 60;

/** What CloudWatch has counted. It is some minutes behind. */
export function createDeployedMetrics(target: Target, now: () => number): ReadMetrics {
  const keep = keepAMinute<CountOf>(now);
  return async (metrics, minutes) =>
    await keep(JSON.stringify([metrics, minutes]), () => count(target, metrics, minutes, now()));
}

async function count(
  target: Target,
  metrics: readonly Metric[],
  minutes: number,
  nowMilliseconds: number,
): Promise<CountOf> {
  const last = minuteOf(nowMilliseconds);
  const first = last - minutes + 1;
  const results = await ask(target, metrics, first, last + 1);
  return countWith(minutes, ({ service, name }) => {
    const asked = metrics.findIndex((one) => one.service === service && one.name === name);
    const result = results.find(({ Id }) => Id === `m${asked}`);
    return perMinute(result, first, minutes);
  });
}

async function ask(
  { clients, functions }: Target,
  metrics: readonly Metric[],
  first: number,
  end: number,
): Promise<readonly MetricDataResult[]> {
  const namespace = functions
    .map(({ environment }) => environment["METRICS_NAMESPACE"])
    .find(Boolean);
  const command = new GetMetricDataCommand({
    StartTime: new Date(first * minuteMilliseconds),
    EndTime: new Date(end * minuteMilliseconds),
    MetricDataQueries: metrics.map(({ service, name }, index) => ({
      Id: `m${index}`,
      MetricStat: {
        Metric: {
          Namespace: namespace,
          MetricName: name,
          Dimensions: [{ Name: "service", Value: service }],
        },
        Period: periodSeconds,
        Stat: "Sum",
      },
    })),
  });
  return (await clients.cloudWatch.send(command)).MetricDataResults ?? [];
}

/** CloudWatch leaves out minutes in which nothing was counted. */
function perMinute(result: MetricDataResult | undefined, first: number, minutes: number): number[] {
  const counts = Array.from({ length: minutes }, () => 0);
  for (const [index, time] of (result?.Timestamps ?? []).entries()) {
    const minute = minuteOf(time.getTime()) - first;
    if (minute in counts) counts[minute] = result?.Values?.[index] ?? 0;
  }
  return counts;
}
