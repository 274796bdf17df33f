import { longestWaitMilliseconds } from "../../../shared/timing.ts";
import { type Points, type QueueSeries, readQueueSeries } from "../queues/queue-metrics.ts";
import type { Target } from "../target/target.ts";
import { minuteMilliseconds } from "../telemetry/metric.ts";

/** What was in a queue that was deleted, from the values that SQS reported of it. */
export interface Loss {
  readonly count: number;
  /** When SQS reported this count. */
  readonly seenAtMilliseconds: number;
  /** Every event in it was published after this time, except those that were sent to it again. */
  readonly sinceMilliseconds: number;
  /**
   * A replay that begins at this time or before has sent everything. It is later than `sinceMilliseconds` if CloudWatch
   * has no empty minute: it may have had the minute with which the replay began, and forgotten it since.
   */
  readonly replayedSinceMilliseconds: number;
}

const hourMilliseconds = 3_600_000;
/** SQS keeps a message for 14 days at most. */
const retentionMilliseconds = 14 * 24 * hourMilliseconds;
/** CloudWatch keeps values by the minute for 15 days, and may return none for an older range. */
const readableMilliseconds = (15 * 24 - 1) * hourMilliseconds;

const names = ["visible", "inFlight", "oldestSeconds"] as const;
type Series = QueueSeries<(typeof names)[number]>;

/** What was in a queue that does not exist. Undefined if nothing is known about it. */
export async function lossOfGone(target: Target, url: string): Promise<Loss | undefined> {
  return await lossUntil(target, url, target.now());
}

/**
 * What was in a deleted queue with the same name. Metrics have only the queue's name, so values from before its
 * creation belong to the earlier queue. The minute of its creation has values of the queue itself.
 */
export async function lossBefore(
  target: Target,
  url: string,
  createdAtMilliseconds: number,
): Promise<Loss | undefined> {
  if (createdAtMilliseconds < target.now() - retentionMilliseconds) return undefined;
  const creationMinute = createdAtMilliseconds - (createdAtMilliseconds % minuteMilliseconds);
  return await lossUntil(target, url, creationMinute - 1);
}

/** A call returns up to 100,800 values, and these are fewer. */
async function lossUntil(
  target: Target,
  url: string,
  untilMilliseconds: number,
): Promise<Loss | undefined> {
  const sinceMilliseconds = Math.max(
    untilMilliseconds - retentionMilliseconds,
    target.now() - readableMilliseconds,
  );
  const range = { names, sinceMilliseconds, untilMilliseconds, periodMinutes: 1 };
  return lossIn(await readQueueSeries(target, url, range), sinceMilliseconds);
}

/**
 * The age that SQS reports ignores messages that were received often. The start is therefore the last minute in which
 * the queue was empty. Without such a minute it is as early as SQS keeps messages.
 */
function lossIn(
  { visible, inFlight, oldestSeconds }: Series,
  readFromMilliseconds: number,
): Loss | undefined {
  const [seenAt, seen] = visible.at(-1) ?? [];
  if (seenAt === undefined || seen === undefined) return undefined;
  const inFlightAt = new Map(inFlight);
  const isEmpty = ([at, value]: Points[number]) => value + (inFlightAt.get(at) ?? 0) === 0;
  const [emptyAt] = visible.findLast(isEmpty) ?? [];
  const [, ageSeconds = 0] = oldestSeconds.at(-1) ?? [];
  const begin = Math.min(emptyAt ?? seenAt - retentionMilliseconds, seenAt - ageSeconds * 1_000);
  const replayedSince = emptyAt === undefined ? Math.max(begin, readFromMilliseconds) : begin;
  return {
    count: seen + (inFlightAt.get(seenAt) ?? 0),
    seenAtMilliseconds: seenAt,
    // An event may be recorded this long before the queue accepts it.
    sinceMilliseconds: begin - longestWaitMilliseconds,
    replayedSinceMilliseconds: replayedSince - longestWaitMilliseconds,
  };
}
