import type { CloudWatchClient, GetMetricDataCommandInput } from "@aws-sdk/client-cloudwatch";
import { expect, test } from "vitest";
import { deployedMetrics } from "../../../../tools/operations/deployed-stack/deployed-metrics.ts";
import { createOldestReader } from "../../../../tools/operations/deployed-stack/read-oldest-times.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import { readQueueHistory } from "../../../../tools/operations/queues/queue-history.ts";

const url = "https://sqs.eu-central-1.amazonaws.com/123456789012/Paycast-Stock.fifo";
const at = (time: string) => new Date(`2026-11-15T${time}Z`);

type Values = Readonly<Record<string, readonly (readonly [time: string, value: number])[]>>;

/** A deployed stack whose CloudWatch has these values of the queue, by the name and statistic of the metric. */
function targetWith(values: Values, now: string, asked: GetMetricDataCommandInput[] = []): Target {
  const send = async ({ input }: { input: GetMetricDataCommandInput }) => {
    asked.push(input);
    const MetricDataResults = input.MetricDataQueries!.map(({ Id, MetricStat }) => {
      const { MetricName = "", Dimensions } = MetricStat!.Metric!;
      expect(Dimensions).toEqual([{ Name: "QueueName", Value: "Paycast-Stock.fifo" }]);
      const isWanted = ([time]: readonly [string, number]) =>
        at(time) >= input.StartTime! && at(time) < input.EndTime!;
      const found = (values[`${MetricName} ${MetricStat!.Stat}`] ?? []).filter(isWanted);
      const ordered = input.ScanBy === "TimestampDescending" ? [...found].reverse() : found;
      return {
        Id,
        Timestamps: ordered.map(([time]) => at(time)),
        Values: ordered.map(([, value]) => value),
      };
    });
    return { MetricDataResults };
  };
  const client = { send } as unknown as CloudWatchClient;
  const clock = { now: () => at(now).getTime() };
  return {
    clock,
    metrics: deployedMetrics(client, { stackName: "Paycast", functions: [] }, clock.now),
    queues: { oldestTimes: createOldestReader(client, clock.now) },
  } as unknown as Target;
}

test("a queue's last hour comes from CloudWatch by the minute, in one call a minute", async () => {
  const asked: GetMetricDataCommandInput[] = [];
  const values: Values = {
    "NumberOfMessagesSent Sum": [
      ["08:00:00", 9],
      ["08:01:00", 2],
      ["08:59:00", 5],
    ],
    "NumberOfMessagesDeleted Sum": [["08:59:00", 4]],
    "NumberOfEmptyReceives Sum": [["08:30:00", 6]],
    "ApproximateAgeOfOldestMessage Maximum": [["09:00:00", 40]],
  };
  const target = targetWith(values, "09:00:30", asked);
  const { sent, deleted, oldestSeconds, lastReadAt } = await readQueueHistory(target, url);
  expect(sent).toMatchObject({ total: 7, stepMinutes: 1, since: at("08:01:00").getTime() });
  expect([sent.perStep[0], sent.perStep[58], deleted.perStep[58]]).toEqual([2, 5, 4]);
  expect(oldestSeconds.perStep[59]).toBe(40);
  expect(lastReadAt).toBe(at("08:30:00").toISOString());
  await readQueueHistory(target, url);
  expect(asked).toHaveLength(1);
});

test("the oldest event waits since the same time from look to look", async () => {
  const looks = [
    ["08:31:00", 620, "08:32:10"],
    ["08:36:00", 925, "08:37:50"],
  ] as const;
  for (const [time, age, now] of looks) {
    const target = targetWith({ "ApproximateAgeOfOldestMessage Maximum": [[time, age]] }, now);
    const times = await target.queues.oldestTimes([url]);
    expect(new Date(times.get(url)!)).toEqual(at("08:20:00"));
  }
});
