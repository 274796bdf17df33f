import { longestWaitMilliseconds } from "../../../shared/timing.ts";
import { type Points, type QueueSeries, readQueueSeries } from "../queues/queue-metrics.ts";
import type { Target } from "../target/target.ts";
import { minuteMilliseconds } from "../telemetry/metric.ts";

/** What was in a queue that was deleted, from the values that SQS reported of it. */
export interface Loss {
  readonly count: number;
  /** When SQS reported this count. */
  readonly seenAtMilliseconds: number;
  /** Every event in it was published after this time, except those that somebody sent to it again. */
  readonly sinceMilliseconds: number;
}

/** SQS keeps a message for 14 days at most. CloudWatch keeps values by the minute for 15. */
const retentionMilliseconds = 14 * 24 * 3_600_000;

const names = ["visible", "inFlight", "oldestSeconds"] as const;
type Series = QueueSeries<(typeof names)[number]>;

/** What was in a queue that does not exist. Undefined if nothing is known about it. */
export async function lossOfGone(target: Target, url: string): Promise<Loss | undefined> {
  return lossIn(await readSeries(target, url, target.now()));
}

/**
 * What was in an earlier queue with the same name, which somebody deleted. Metrics have the queue's name only, so values
 * from before its creation belong to the earlier queue. The minute of its creation has values of the queue itself.
 */
export async function lossBefore(
  target: Target,
  url: string,
  createdAtMilliseconds: number,
): Promise<Loss | undefined> {
  if (createdAtMilliseconds < target.now() - retentionMilliseconds) return undefined;
  const creationMinute = createdAtMilliseconds - (createdAtMilliseconds % minuteMilliseconds);
  return lossIn(await readSeries(target, url, creationMinute - 1));
}

/**
 * The window does not move with the clock, so that the same loss has the same start from check to check. A call returns
 * up to 100,800 values, and these are fewer.
 */
async function readSeries(target: Target, url: string, untilMilliseconds: number): Promise<Series> {
  const sinceMilliseconds = untilMilliseconds - retentionMilliseconds;
  return await readQueueSeries(target, url, {
    names,
    sinceMilliseconds,
    untilMilliseconds,
    periodMinutes: 1,
  });
}

/**
 * The age that SQS reports leaves out messages that were received often, so the start is the last minute in which the
 * queue was empty: everything in it came later. Without such a minute it is as early as SQS keeps messages.
 */
function lossIn({ visible, inFlight, oldestSeconds }: Series): Loss | undefined {
  const [seenAt, seen] = visible.at(-1) ?? [];
  if (seenAt === undefined || seen === undefined) return undefined;
  const inFlightAt = new Map(inFlight);
  const isEmpty = ([at, value]: Points[number]) => value + (inFlightAt.get(at) ?? 0) === 0;
  const [emptyAt] = visible.findLast(isEmpty) ?? [seenAt - retentionMilliseconds];
  const [, ageSeconds = 0] = oldestSeconds.at(-1) ?? [];
  const begin = Math.min(emptyAt, seenAt - ageSeconds * 1_000);
  return {
    count: seen + (inFlightAt.get(seenAt) ?? 0),
    seenAtMilliseconds: seenAt,
    // An event may be recorded this long before the queue accepts it.
    sinceMilliseconds: begin - longestWaitMilliseconds,
  };
}
