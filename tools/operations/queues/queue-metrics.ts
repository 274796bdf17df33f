import { readFile } from "node:fs/promises";
import { GetMetricDataCommand } from "@aws-sdk/client-cloudwatch";
import * as z from "zod";
import { keptFor, type Target } from "../target/target.ts";
import { keepAMinute, minuteMilliseconds } from "../telemetry/metric.ts";

/**
 * What SQS reports of a queue once a minute, under the names of CloudWatch, with the statistic that makes sense of it.
 */
export const queueMetrics = {
  sent: ["NumberOfMessagesSent", "Sum"],
  received: ["NumberOfMessagesReceived", "Sum"],
  emptyReceives: ["NumberOfEmptyReceives", "Sum"],
  deleted: ["NumberOfMessagesDeleted", "Sum"],
  visible: ["ApproximateNumberOfMessagesVisible", "Maximum"],
  inFlight: ["ApproximateNumberOfMessagesNotVisible", "Maximum"],
  oldestSeconds: ["ApproximateAgeOfOldestMessage", "Maximum"],
} as const satisfies Record<string, readonly [name: string, statistic: "Sum" | "Maximum"]>;

export type QueueMetric = keyof typeof queueMetrics;

/** When a period began, in milliseconds, and the value of it. Oldest first. */
export type Points = readonly (readonly [at: number, value: number])[];

export type QueueSeries<Name extends QueueMetric = QueueMetric> = Readonly<Record<Name, Points>>;

interface Wanted<Name extends QueueMetric> {
  readonly names: readonly Name[];
  readonly sinceMilliseconds: number;
  /** By default, now. */
  readonly untilMilliseconds?: number | undefined;
  readonly periodMinutes: number;
}

/** Each series of a queue, also of one that was deleted meanwhile. CloudWatch is some minutes behind. */
export async function readQueueSeries<Name extends QueueMetric>(
  target: Target,
  url: string,
  wanted: Wanted<Name>,
): Promise<QueueSeries<Name>> {
  const queueName = queueNameOf(url);
  const series =
    target.queueMetricsFile === undefined
      ? await seriesAtAws(target, queueName, wanted)
      : await seriesHere(target.queueMetricsFile, queueName);
  const { sinceMilliseconds, untilMilliseconds = target.now() } = wanted;
  const isWanted = ([at]: readonly [number, number]) =>
    at >= sinceMilliseconds && at <= untilMilliseconds;
  const entries = wanted.names.map((name) => [name, (series[name] ?? []).filter(isWanted)]);
  return Object.fromEntries(entries);
}

export function queueNameOf(url: string): string {
  return new URL(url).pathname.split("/").at(-1) ?? "";
}

type Found = Readonly<Partial<Record<QueueMetric, Points>>>;

const kept = keptFor(() => keepAMinute<Found>(Date.now));

/** One call, kept for a minute: CloudWatch charges for each metric of a call. */
async function seriesAtAws(
  target: Target,
  queueName: string,
  { names, sinceMilliseconds, untilMilliseconds, periodMinutes }: Wanted<QueueMetric>,
): Promise<Found> {
  const key = JSON.stringify([queueName, names, untilMilliseconds, periodMinutes]);
  return await kept(target)(key, async () => {
    const command = new GetMetricDataCommand({
      StartTime: new Date(sinceMilliseconds),
      EndTime: new Date(untilMilliseconds ?? target.now()),
      ScanBy: "TimestampAscending",
      MetricDataQueries: names.map((name) => ({
        Id: name,
        MetricStat: {
          Metric: {
            Namespace: "AWS/SQS",
            MetricName: queueMetrics[name][0],
            Dimensions: [{ Name: "QueueName", Value: queueName }],
          },
          Period: (periodMinutes * minuteMilliseconds) / 1000,
          Stat: queueMetrics[name][1],
        },
      })),
    });
    const { MetricDataResults = [] } = await target.clients.cloudWatch.send(command);
    return Object.fromEntries(
      MetricDataResults.map(({ Id = "", Timestamps = [], Values = [] }) => [
        Id,
        Timestamps.map((time, index) => [time.getTime(), Values[index] ?? 0] as const),
      ]),
    );
  });
}

const points = z.array(z.tuple([z.number(), z.number()]));
const fileSchema = z.record(z.string(), z.record(z.string(), points));

/** The local stack writes them into a file once a minute (tools/local/alarms). */
async function seriesHere(file: string, queueName: string): Promise<Found> {
  const text = await readFile(file, "utf8").catch(() => "{}");
  return fileSchema.parse(JSON.parse(text))[queueName] ?? {};
}
