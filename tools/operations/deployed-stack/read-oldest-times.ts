import {
  type CloudWatchClient,
  GetMetricDataCommand,
  type MetricDataResult,
} from "@aws-sdk/client-cloudwatch";
import { keepAMinute, minuteMilliseconds, minuteOf } from "../ports/metrics.ts";
import { type OldestTimes, queueNameOf } from "../ports/queues.ts";

/** CloudWatch is called once a minute. */
export function createOldestReader(client: CloudWatchClient, now: () => number) {
  const keep = keepAMinute<OldestTimes>(now);
  return async (urls: readonly string[]): Promise<OldestTimes> =>
    await keep(urls.join(), () => readTimes(client, urls, now()));
}

async function readTimes(
  client: CloudWatchClient,
  urls: readonly string[],
  nowMilliseconds: number,
): Promise<OldestTimes> {
  const command = new GetMetricDataCommand({
    StartTime: new Date(nowMilliseconds - 10 * 60_000),
    EndTime: new Date(nowMilliseconds),
    ScanBy: "TimestampDescending",
    MetricDataQueries: urls.map((url, index) => ({
      Id: `q${index}`,
      MetricStat: {
        Metric: {
          Namespace: "AWS/SQS",
          MetricName: "ApproximateAgeOfOldestMessage",
          Dimensions: [{ Name: "QueueName", Value: queueNameOf(url) }],
        },
        Period: 60,
        Stat: "Maximum",
      },
    })),
  });
  const { MetricDataResults = [] } = await client.send(command);
  const times = new Map(MetricDataResults.map((result) => [result.Id, oldestIn(result)]));
  return new Map(urls.flatMap((url, index) => entryOf(url, times.get(`q${index}`))));
}

/** The newest age, taken off the minute that it is of. To the minute, like the metric. */
function oldestIn({ Timestamps, Values }: MetricDataResult): number | undefined {
  const [time, seconds] = [Timestamps?.[0], Values?.[0]];
  if (time === undefined || seconds === undefined) return undefined;
  return minuteOf(time.getTime() - seconds * 1000) * minuteMilliseconds;
}

function entryOf(url: string, time: number | undefined): [string, number][] {
  return time === undefined ? [] : [[url, time]];
}
