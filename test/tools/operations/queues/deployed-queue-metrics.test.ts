import type { GetMetricDataCommandInput } from "@aws-sdk/client-cloudwatch";
import { expect, test } from "vitest";
import { lostEvents } from "../../../../tools/operations/check/lost-events.ts";
import { readOldestTimes } from "../../../../tools/operations/overview/read-queues.ts";
import type { Target, TargetSubscriber } from "../../../../tools/operations/target/target.ts";

const url = "https://sqs.eu-central-1.amazonaws.com/123456789012/Paycast-Stock.fifo";
const stock = { name: "stock", queueUrl: url } as TargetSubscriber;
const minute = 60_000;
const at = (time: string) => new Date(`2026-11-15T${time}Z`);

type Values = Readonly<Record<string, readonly (readonly [time: string, value: number])[]>>;

/** A deployed stack whose CloudWatch has these values of the queue, by the name of the metric. */
function targetWith(values: Values, now = "09:00:00", asked: GetMetricDataCommandInput[] = []) {
  const send = async ({ input }: { input: GetMetricDataCommandInput }) => {
    asked.push(input);
    const MetricDataResults = input.MetricDataQueries!.map(({ Id, MetricStat }) => {
      const { MetricName = "", Dimensions } = MetricStat!.Metric!;
      expect(Dimensions).toEqual([{ Name: "QueueName", Value: "Paycast-Stock.fifo" }]);
      const found = values[MetricName] ?? [];
      const ordered = input.ScanBy === "TimestampDescending" ? [...found].reverse() : found;
      return {
        Id,
        Timestamps: ordered.map(([time]) => at(time)),
        Values: ordered.map(([, value]) => value),
      };
    });
    return { MetricDataResults };
  };
  return {
    kind: "deployed",
    name: "Paycast",
    now: () => at(now).getTime(),
    clients: { cloudWatch: { send } },
  } as unknown as Target;
}

test("what was in a deleted queue comes from the last values, and the replay begins with its oldest", async () => {
  const asked: GetMetricDataCommandInput[] = [];
  const values: Values = {
    ApproximateNumberOfMessagesVisible: [
      ["08:00:00", 12],
      ["08:15:00", 70],
    ],
    ApproximateNumberOfMessagesNotVisible: [["08:15:00", 7]],
    ApproximateAgeOfOldestMessage: [["08:15:00", 1800]],
  };
  expect(await lostEvents(targetWith(values, "09:00:00", asked), stock)).toEqual([
    {
      status: "problem",
      message: "About 77 events were in it at 2026-11-15T08:15:00Z, and are gone with it.",
      action:
        "When the queue exists again, send them again: npx paycast replay --to stock --since 2026-11-15T07:44:00Z --yes --stack Paycast",
    },
  ]);
  expect(asked).toHaveLength(1);
  const points = (Number(asked[0]!.EndTime) - Number(asked[0]!.StartTime)) / (15 * minute);
  expect(points).toBeLessThanOrEqual(1_440);
});

test("of a queue that was empty nothing is lost, and of an unknown one the time is asked for", async () => {
  const empty = { ApproximateNumberOfMessagesVisible: [["08:15:00", 0]] } as const;
  expect(await lostEvents(targetWith(empty), stock)).toEqual([]);
  const [unknown] = await lostEvents(targetWith({}), stock);
  expect(unknown?.action).toContain("replay --to stock --since TIME --yes --stack Paycast");
});

test("the oldest event waits since the same time from look to look", async () => {
  const looks = [
    ["08:31:00", 620, "08:32:10"],
    ["08:36:00", 925, "08:37:50"],
  ] as const;
  for (const [time, age, now] of looks) {
    const target = targetWith({ ApproximateAgeOfOldestMessage: [[time, age]] }, now);
    const times = await readOldestTimes(target, [url], target.now);
    expect(new Date(times.get(url)!)).toEqual(at("08:20:00"));
  }
});
