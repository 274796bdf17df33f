import * as z from "zod/mini";
import { parseJson } from "../../../shared/json/parse-json.ts";
import {
  countWith,
  firstMinuteOf,
  metricKey,
  minuteOf,
  type ReadMetrics,
} from "../ports/metrics.ts";
import { followFile } from "./follow-file.ts";

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
export function countInLog(logFile: string, now: () => number): ReadMetrics {
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
        if (step in counts)
          counts[step] = (counts[step] ?? 0) + (counted.get(metricKey(metric)) ?? 0);
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
      const key = metricKey({ service, name, ...ofMerchant });
      const value = values[name];
      if (typeof value === "number") counts.set(key, (counts.get(key) ?? 0) + value);
    }
  }
}

function forgetBefore(minutes: Map<number, unknown>, first: number): void {
  for (const minute of minutes.keys()) if (minute < first) minutes.delete(minute);
}
