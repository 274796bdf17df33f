import { type CloudWatchClient, GetMetricDataCommand } from "@aws-sdk/client-cloudwatch";
import {
  keepAMinute,
  minuteMilliseconds,
  type Points,
  type QueueMetric,
  queueMetrics,
  type WantedSeries,
} from "../ports/metrics.ts";
import { queueNameOf } from "../ports/queues.ts";

type Found = Readonly<Partial<Record<QueueMetric, Points>>>;

/** One call, kept for a minute: CloudWatch charges for each metric of a call. */
export function createSeriesReader(client: CloudWatchClient, now: () => number) {
  const keep = keepAMinute<Found>(now);
  return async (url: string, wanted: WantedSeries<QueueMetric>): Promise<Found> => {
    const queueName = queueNameOf(url);
    const key = JSON.stringify([queueName, wanted.names]);
    return await keep(key, () => readSeries(client, queueName, wanted, now()));
  };
}

async function readSeries(
  client: CloudWatchClient,
  queueName: string,
  { names, sinceMilliseconds }: WantedSeries<QueueMetric>,
  nowMilliseconds: number,
): Promise<Found> {
  const command = new GetMetricDataCommand({
    StartTime: new Date(sinceMilliseconds),
    EndTime: new Date(nowMilliseconds),
    ScanBy: "TimestampAscending",
    MetricDataQueries: names.map((name) => ({
      Id: name,
      MetricStat: {
        Metric: {
          Namespace: "AWS/SQS",
          MetricName: queueMetrics[name][0],
          Dimensions: [{ Name: "QueueName", Value: queueName }],
        },
        Period: minuteMilliseconds / 1000,
        Stat: queueMetrics[name][1],
      },
    })),
  });
  const { MetricDataResults = [] } = await client.send(command);
  return Object.fromEntries(
    MetricDataResults.map(({ Id = "", Timestamps = [], Values = [] }) => [
      Id,
      Timestamps.map((time, index) => [time.getTime(), Values[index] ?? 0] as const),
    ]),
  );
}
