import { type QueueMetric, queueMetrics } from "../../operations/ports/metrics.ts";
import type { QueueCounts, RunningSqs } from "../aws/sqs/start-sqs.ts";
import { writeOwnFile } from "../write-own-file.ts";
import type { MetricStore } from "./metric-store.ts";
import { statistics } from "./statistics.ts";

interface SampleOptions {
  readonly store: MetricStore;
  readonly queues: Pick<RunningSqs, "counts">;
  /** The newest values of each queue, for the command and the console. */
  readonly file: string;
}

const minute = 60_000;
const names = Object.keys(queueMetrics).filter((name): name is QueueMetric => name in queueMetrics);
/** As many as a chart shows. The values of a deleted queue stay until the stack stops. */
const keptPoints = 60;

/** Records the metrics that CloudWatch would have for each queue in the last minute. Call it once a minute. */
export function createQueueSampler({ store, queues, file }: SampleOptions) {
  const known = new Map<string, QueueCounts>();
  return (nowMilliseconds: number): void => {
    for (const counts of queues.counts()) {
      const before = known.get(counts.queueName);
      known.set(counts.queueName, counts);
      for (const name of names) {
        const isSum = queueMetrics[name][1] === "Sum";
        // A queue that was deleted and created again counts from zero.
        const value = isSum ? Math.max(0, counts[name] - (before?.[name] ?? 0)) : counts[name];
        const atMilliseconds = isSum ? nowMilliseconds - minute : nowMilliseconds;
        store.write({ metric: metricOf(counts.queueName, name), atMilliseconds, value });
      }
    }
    const kept = [...known.keys()].map((queueName) => [queueName, newestOf(store, queueName)]);
    writeOwnFile(file, JSON.stringify(Object.fromEntries(kept)));
  };
}

function metricOf(queueName: string, name: QueueMetric) {
  const dimensions = { QueueName: queueName };
  return { namespace: "AWS/SQS", name: queueMetrics[name][0], dimensions };
}

function newestOf(store: MetricStore, queueName: string) {
  const series = names.map((name) => {
    const datapoints = store.read(metricOf(queueName, name), 0, Infinity) ?? [];
    const points = datapoints.map(({ minuteMilliseconds, values }) => [
      minuteMilliseconds,
      statistics[queueMetrics[name][1]](values),
    ]);
    return [name, points.slice(-keptPoints)];
  });
  return Object.fromEntries(series);
}
