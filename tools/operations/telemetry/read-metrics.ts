import { GetMetricDataCommand, type MetricDataResult } from "@aws-sdk/client-cloudwatch";
import * as z from "zod/mini";
import { parseJson } from "../../../shared/json/parse-json.ts";
import type { Target } from "../target/target.ts";
import {
  type CountOf,
  countWith,
  firstMinuteOf,
  keepAMinute,
  type Metric,
  minuteMilliseconds,
  minuteOf,
  type Range,
  type ReadMetrics,
} from "./metric.ts";
import { followFile } from "./request-lines.ts";

/** What the functions of a stack count. Keep the reader: on the local stack it continues where the last call ended. */
export function createMetrics(target: Target, now: () => number = target.now): ReadMetrics {
  return target.functionLog === undefined
    ? createDeployedMetrics(target, now)
    : createLocalMetrics(target.functionLog, now);
}

/** What CloudWatch has counted. It is some minutes behind. GetMetricData takes 500 queries: one call is enough. */
export function createDeployedMetrics(target: Target, now: () => number): ReadMetrics {
  const keep = keepAMinute<CountOf>(now);
  return async (metrics, range) =>
    await keep(JSON.stringify([metrics, range]), () => countAtAws(target, metrics, range, now()));
}

async function countAtAws(
  target: Target,
  metrics: readonly Metric[],
  range: Range,
  nowMilliseconds: number,
): Promise<CountOf> {
  const first = firstMinuteOf(range, nowMilliseconds);
  const results = await ask(target, metrics, range, first);
  return countWith(range, first, (wanted) => {
    const asked = metrics.findIndex((metric) => keyOf(metric) === keyOf(wanted));
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
  return (await clients.cloudWatch.send(command)).MetricDataResults ?? [];
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

/** The longest range to choose from. */
const keptMinutes = 7 * 24 * 60;

/** The embedded metrics of a log line (shared/telemetry/log-line.ts), read as CloudWatch reads them. */
const lineSchema = z.looseObject({
  service: z.string(),
  merchantId: z.optional(z.string()),
  _aws: z.object({
    Timestamp: z.number(),
    CloudWatchMetrics: z.array(
      z.object({
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.object({ Name: z.string() })),
      }),
    ),
  }),
});

/** Counts the metrics in the log file of the local functions and in the one before it. */
export function createLocalMetrics(logFile: string, now: () => number): ReadMetrics {
  const addedLines = followFile(logFile);
  let earlier: typeof addedLines | undefined = followFile(`${logFile}.1`);
  const minutes = new Map<number, Map<string, number>>();
  let reading = Promise.resolve();
  const readOn = async () => {
    // Only once: what is put aside later was counted already.
    for await (const line of earlier?.() ?? []) addLine(minutes, line);
    earlier = undefined;
    for await (const line of addedLines()) addLine(minutes, line);
    forgetBefore(minutes, minuteOf(now()) - keptMinutes);
  };
  return async (_metrics, range) => {
    // One after the other: two concurrent readers would count a line twice.
    reading = reading.then(readOn, readOn);
    await reading;
    const first = firstMinuteOf(range, now());
    return countWith(range, first, (metric) => {
      const counts = Array.from({ length: range.steps }, () => 0);
      for (const [minute, counted] of minutes) {
        const step = Math.floor((minute - first) / range.stepMinutes);
        if (step in counts) counts[step] = (counts[step] ?? 0) + (counted.get(keyOf(metric)) ?? 0);
      }
      return counts;
    });
  };
}

function addLine(minutes: Map<number, Map<string, number>>, text: string): void {
  const read = lineSchema.safeParse(parseJson(text));
  if (!read.success) return;
  const { service, merchantId, _aws, ...values } = read.data;
  const minute = minuteOf(_aws.Timestamp);
  const counts = minutes.get(minute) ?? new Map<string, number>();
  minutes.set(minute, counts);
  for (const { Dimensions, Metrics } of _aws.CloudWatchMetrics) {
    const [names = []] = Dimensions;
    if (!names.includes("service")) continue;
    const ofMerchant = names.includes("merchantId") ? { merchantId } : {};
    for (const { Name: name } of Metrics) {
      const key = keyOf({ service, name, ...ofMerchant });
      const value = values[name];
      if (typeof value === "number") counts.set(key, (counts.get(key) ?? 0) + value);
    }
  }
}

function forgetBefore(minutes: Map<number, unknown>, first: number): void {
  for (const minute of minutes.keys()) if (minute < first) minutes.delete(minute);
}

function keyOf({ service, name, merchantId }: Metric): string {
  return JSON.stringify([service, name, merchantId]);
}
