import * as z from "zod/mini";
import { parseJson } from "../../shared/parse-json.ts";
import { followFile } from "./follow-file.ts";
import { countWith, type Metric, minuteOf, type ReadMetrics } from "./metric.ts";

/** CloudWatch keeps more; nobody looks further back on one machine. */
const keptMinutes = 24 * 60;

/** The embedded metrics of a log line (shared/telemetry/log-line.ts), read as CloudWatch reads them. */
const lineSchema = z.looseObject({
  service: z.string(),
  _aws: z.object({
    Timestamp: z.number(),
    CloudWatchMetrics: z.array(z.object({ Metrics: z.array(z.object({ Name: z.string() })) })),
  }),
});

/** Counts what the log file of the local functions tells. */
export function createLocalMetrics(logFile: string, now: () => number): ReadMetrics {
  const addedLines = followFile(logFile);
  const minutes = new Map<number, Map<string, number>>();
  let reading = Promise.resolve();
  const readOn = async () => {
    for await (const line of addedLines()) count(minutes, line);
    forgetBefore(minutes, minuteOf(now()) - keptMinutes);
  };
  return async (_metrics, length) => {
    // One after the other: two readers at once would count a line twice.
    reading = reading.then(readOn, readOn);
    await reading;
    const first = minuteOf(now()) - length + 1;
    const wanted = Array.from({ length }, (_, index) => minutes.get(first + index));
    return countWith(length, (metric) => wanted.map((counts) => counts?.get(keyOf(metric)) ?? 0));
  };
}

function count(minutes: Map<number, Map<string, number>>, text: string): void {
  const read = lineSchema.safeParse(parseJson(text));
  if (!read.success) return;
  const { service, _aws, ...values } = read.data;
  const minute = minuteOf(_aws.Timestamp);
  const counts = minutes.get(minute) ?? new Map<string, number>();
  minutes.set(minute, counts);
  for (const { Name: name } of _aws.CloudWatchMetrics[0]?.Metrics ?? []) {
    const key = keyOf({ service, name });
    const value = values[name];
    if (typeof value === "number") counts.set(key, (counts.get(key) ?? 0) + value);
  }
}

function forgetBefore(minutes: Map<number, unknown>, first: number): void {
  for (const minute of minutes.keys()) if (minute < first) minutes.delete(minute);
}

function keyOf({ service, name }: Metric): string {
  return `${service} ${name}`;
}
