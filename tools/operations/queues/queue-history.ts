import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import {
  type Counted,
  firstMinuteOf,
  minuteMilliseconds,
  minuteOf,
  type Points,
  ranges,
} from "../ports/metrics.ts";
import type { Target } from "../ports/target.ts";

/** What happened in a queue in the last hour, by the minute. */
export interface QueueHistory {
  readonly sent: Counted;
  /** What its consumer has finished. */
  readonly deleted: Counted;
  readonly oldestSeconds: Counted;
  /** The last minute with a receive call, in RFC 3339. Undefined if there was none. */
  readonly lastReadAt: string | undefined;
}

const range = ranges["1h"];
const names = ["sent", "deleted", "oldestSeconds", "received", "emptyReceives"] as const;

export async function readQueueHistory(
  target: Pick<Target, "clock" | "metrics">,
  url: string,
): Promise<QueueHistory> {
  const firstMinute = firstMinuteOf(range, target.clock.now());
  const sinceMilliseconds = firstMinute * minuteMilliseconds;
  const series = await target.metrics.queueSeries(url, { names, sinceMilliseconds });
  const perMinute = (points: Points) => byMinute(points, firstMinute);
  return {
    sent: perMinute(series.sent),
    deleted: perMinute(series.deleted),
    oldestSeconds: perMinute(series.oldestSeconds),
    lastReadAt: lastAbove(0, [...series.received, ...series.emptyReceives]),
  };
}

/** CloudWatch omits minutes in which nothing was reported. */
function byMinute(points: Points, firstMinute: number): Counted {
  const perStep = Array.from({ length: range.steps }, () => 0);
  for (const [at, value] of points) {
    const step = minuteOf(at) - firstMinute;
    if (step in perStep) perStep[step] = value;
  }
  const total = perStep.reduce((sum, count) => sum + count, 0);
  return { total, perStep, stepMinutes: 1, since: firstMinute * minuteMilliseconds };
}

function lastAbove(least: number, points: Points): string | undefined {
  const times = points.filter(([, value]) => value > least).map(([at]) => at);
  return times.length === 0 ? undefined : toRfc3339(Math.max(...times));
}
