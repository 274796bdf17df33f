import { readFile } from "node:fs/promises";
import * as z from "zod";
import { type Metrics, pointsWithin, type StackAlarm } from "../ports/metrics.ts";
import { queueNameOf } from "../ports/queues.ts";
import { countInLog } from "./count-metrics.ts";
import { alarmsFile, functionLogFile, queueMetricsFile } from "./local-description.ts";

/** The local stack evaluates the alarms of the template itself, and counts what SQS would report (tools/local/alarms). */
export function localMetrics(directory: string, now: () => number): Metrics {
  return {
    count: countInLog(functionLogFile(directory), now),
    queueSeries: async (url, wanted) => {
      const text = await readFile(queueMetricsFile(directory), "utf8").catch(() => "{}");
      const found = seriesSchema.parse(JSON.parse(text))[queueNameOf(url)] ?? {};
      return pointsWithin(found, wanted, now());
    },
    ringingAlarms: () => readRinging(alarmsFile(directory)),
    allAlarms: { unavailable: "The local stack lists its active alarms only." },
  };
}

const points = z.array(z.tuple([z.number(), z.number()]));
const seriesSchema = z.record(z.string(), z.record(z.string(), points));

const alarmsSchema = z.array(
  z.object({ name: z.string(), description: z.string(), since: z.string() }),
);

async function readRinging(file: string): Promise<readonly StackAlarm[]> {
  const alarms = alarmsSchema.parse(JSON.parse(await readFile(file, "utf8")));
  return alarms.map((alarm) => ({ ...alarm, isRinging: true, notifiesSomebody: true }));
}
