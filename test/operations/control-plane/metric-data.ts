import type { AwsRequest } from "./aws-request.ts";

/** What CloudWatch answers: one value, in the last minute that is asked for. Nothing was counted of other metrics. */
export function metricData(
  { MetricDataQueries, EndTime }: AwsRequest["input"],
  { metrics }: { readonly metrics: ReadonlyMap<string, number> },
): object {
  // biome-ignore lint/suspicious/noExplicitAny: the SDK made it.
  const queries = MetricDataQueries as any[];
  const minute = (Math.ceil(Number(EndTime) / 60) - 1) * 60;
  const MetricDataResults = queries.map(({ Id, MetricStat }) => {
    const value = metrics.get(MetricStat.Metric.MetricName);
    const [Timestamps, Values] = value === undefined ? [[], []] : [[minute], [value]];
    return { Id, Timestamps, Values, StatusCode: "Complete" };
  });
  return { MetricDataResults };
}
