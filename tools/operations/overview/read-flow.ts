import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { usualWaitMinutes } from "../../../shared/timing.ts";
import { explainAwsError } from "../explain-error.ts";
import { isAvailable } from "../ports/available.ts";
import { type RangeName, type ReadMetrics, ranges } from "../ports/metrics.ts";
import type { OldestTimes, StackSubscriber } from "../ports/queues.ts";
import type { Target } from "../ports/target.ts";
import { type ExplainedRefusals, readAllRefusals } from "../refusals/explain-refusals.ts";
import type { Failures } from "./failure-words.ts";
import { type FlowCounts, readCounts } from "./flow-counts.ts";
import { readLastRefusal } from "./last-refusal.ts";
import { type RingingAlarm, readAlarms } from "./read-alarms.ts";
import { type AttentionSummary, readAttention } from "./read-attention.ts";
import { type Changes, readChanges } from "./read-changes.ts";
import { readFailures } from "./read-failures.ts";
import { type QueueNumbers, readQueueNumbers } from "./read-queues.ts";
import type { Refusing } from "./refusing.ts";

/** A queue with its dead letters. */
export interface QueueFlow extends QueueNumbers {
  /** Since when the oldest message waits, in RFC 3339. Undefined if the queue is empty, or if it is not known. */
  readonly oldestAt: string | undefined;
  readonly oldestSeconds: number | undefined;
  readonly deadLetters: QueueNumbers;
}

export interface SubscriberFlow extends QueueFlow {
  readonly name: string;
  readonly ordered: boolean;
  readonly types: readonly string[];
  /** Undefined means all merchants. */
  readonly merchants: readonly string[] | undefined;
  readonly maxWaitMinutes: number;
  /** An event has waited longer than that. */
  readonly isLate: boolean;
  /** Its waiting and undeliverable events (read-attention.ts), if there are any. */
  readonly refusing: Refusing | undefined;
}

/** Where everything is on its way from the payment service to the subscribers. */
export interface Flow extends Changes {
  /** Of the last hour. Undefined if the counts cannot be read; `countsProblem` says why. */
  readonly counts: FlowCounts | undefined;
  readonly range: RangeName;
  /** The same for the chosen range. */
  readonly charts: FlowCounts | undefined;
  readonly countsProblem: string | undefined;
  /** What failed in the last hour, since when nothing succeeds, and why. */
  readonly failures: readonly Failures[];
  /** Why callbacks of the last hour were rejected as not authentic, for each merchant that has some. */
  readonly refusals: readonly ExplainedRefusals[];
  /** False for a stack that only receives. */
  readonly hasStorefront: boolean;
  /** The service's message when it last rejected an order in the last hour. */
  readonly lastRefusal: string | undefined;
  /** The active alarms. Undefined if they cannot be read; `alarmsProblem` says why. */
  readonly alarms: readonly RingingAlarm[] | undefined;
  readonly alarmsProblem: string | undefined;
  readonly inbox: QueueFlow;
  /** Undefined if it cannot be read; `attentionProblem` says why. */
  readonly attention: AttentionSummary | undefined;
  readonly attentionProblem: string | undefined;
  readonly subscribers: readonly SubscriberFlow[];
}

export interface FlowOptions {
  readonly range?: RangeName;
  readonly now?: () => number;
}

export async function readFlow(
  target: Target,
  { range = "1h", now = target.clock.now }: FlowOptions = {},
): Promise<Flow> {
  const urls = [
    target.queues.inbox.url,
    ...target.queues.subscribers.map(({ queueUrl }) => queueUrl),
  ];
  const oldest = target.queues.oldestTimes(urls).catch((): OldestTimes => new Map());
  const attention = tryToRead(target);
  const [counts, changes, alarms, inbox, found, subscribers] = await Promise.all([
    tryToCount(target, target.metrics.count, range),
    readChanges(target),
    tryToReadAlarms(target),
    readQueueFlow(target, target.queues.inbox, { oldest, now }),
    attention,
    Promise.all(
      target.queues.subscribers.map((subscriber) =>
        readSubscriber(target, subscriber, { oldest, now, attention }),
      ),
    ),
  ]);
  const hasStorefront = isAvailable(target.stack.gateway);
  return { range, ...counts, ...changes, ...alarms, hasStorefront, inbox, ...found, subscribers };
}

type FoundAttention = Pick<Flow, "attention" | "attentionProblem">;

/** A missing permission on the table must not hide the queues. */
async function tryToRead(target: Pick<Target, "records" | "queues">): Promise<FoundAttention> {
  try {
    return { attention: await readAttention(target), attentionProblem: undefined };
  } catch (error) {
    const attentionProblem = explainAwsError(error)?.message ?? String(error);
    return { attention: undefined, attentionProblem };
  }
}

async function tryToReadAlarms(
  target: Pick<Target, "stack" | "metrics">,
): Promise<Pick<Flow, "alarms" | "alarmsProblem">> {
  try {
    return { alarms: await readAlarms(target), alarmsProblem: undefined };
  } catch (error) {
    const alarmsProblem = explainAwsError(error)?.message ?? String(error);
    return { alarms: undefined, alarmsProblem };
  }
}

/** The same for subscribers alone, without the counts, which cost on AWS. */
export async function readSubscribers(
  target: Pick<Target, "clock" | "records" | "queues">,
  subscribers: readonly StackSubscriber[],
): Promise<readonly SubscriberFlow[]> {
  const urls = subscribers.map(({ queueUrl }) => queueUrl);
  const oldest = target.queues.oldestTimes(urls).catch((): OldestTimes => new Map());
  const attention = tryToRead(target);
  const beside = { oldest, now: target.clock.now, attention };
  return await Promise.all(
    subscribers.map((subscriber) => readSubscriber(target, subscriber, beside)),
  );
}

type HourOfFlow = Pick<
  Flow,
  "counts" | "charts" | "countsProblem" | "lastRefusal" | "failures" | "refusals"
>;

/** Without counts the queues are still shown. */
async function tryToCount(
  target: Pick<Target, "stack" | "clock" | "orders" | "records" | "keys" | "log">,
  metrics: ReadMetrics,
  range: RangeName,
): Promise<HourOfFlow> {
  try {
    const hour = await readHour(target, metrics);
    const charts = range === "1h" ? hour.counts : await readCounts(metrics, ranges[range]);
    return { ...hour, charts, countsProblem: undefined };
  } catch (error) {
    const countsProblem = explainAwsError(error)?.message ?? String(error);
    const nothing = { counts: undefined, charts: undefined, lastRefusal: undefined };
    return { ...nothing, failures: [], refusals: [], countsProblem };
  }
}

/** What was counted in the last hour, and the service's message if it rejected an order. */
export async function readHour(
  target: Pick<Target, "stack" | "clock" | "orders" | "records" | "keys" | "log">,
  metrics: ReadMetrics,
) {
  const counts = await readCounts(metrics, ranges["1h"]);
  const { total, since } = counts.ordersRefused;
  const [lastRefusal, failures, refusals] = await Promise.all([
    total === 0 ? undefined : readLastRefusal(target, since),
    readFailures(target, metrics, counts),
    counts.notAuthentic.total === 0 ? [] : readAllRefusals(target, metrics),
  ]);
  return { counts, lastRefusal, failures, refusals };
}

/** What is read once for all queues. */
interface ReadBeside {
  readonly oldest: Promise<OldestTimes>;
  readonly now: () => number;
  readonly attention: Promise<FoundAttention>;
}

async function readQueueFlow(
  target: Pick<Target, "queues">,
  { url, deadLettersUrl }: { readonly url: string; readonly deadLettersUrl: string },
  { oldest, now }: Pick<ReadBeside, "oldest" | "now">,
): Promise<QueueFlow> {
  const [numbers, deadLetters, times] = await Promise.all([
    readQueueNumbers(target, url),
    readQueueNumbers(target, deadLettersUrl),
    oldest,
  ]);
  const isEmpty = numbers.waiting + numbers.inFlight === 0;
  return { ...numbers, deadLetters, ...waitingSince(isEmpty ? undefined : times.get(url), now()) };
}

type Waiting = Pick<QueueFlow, "oldestAt" | "oldestSeconds">;

export function waitingSince(time: number | undefined, nowMilliseconds: number): Waiting {
  if (time === undefined) return { oldestAt: undefined, oldestSeconds: undefined };
  return {
    oldestAt: toRfc3339(time),
    oldestSeconds: Math.max(0, Math.round((nowMilliseconds - time) / 1000)),
  };
}

async function readSubscriber(
  target: Pick<Target, "queues">,
  subscriber: StackSubscriber,
  beside: ReadBeside,
): Promise<SubscriberFlow> {
  const { name, ordered, types, merchants, queueUrl: url, deadLettersUrl } = subscriber;
  const flow = await readQueueFlow(target, { url, deadLettersUrl }, beside);
  const refusing = (await beside.attention).attention?.subscribers[name];
  return { name, ordered, types, merchants, ...waitOf(subscriber, flow), ...flow, refusing };
}

/** Whether an event waits longer in the queue than the subscriber's config allows, which also starts its alarm. */
export function waitOf({ maxWaitMinutes = usualWaitMinutes }: StackSubscriber, waiting: Waiting) {
  const { oldestAt, oldestSeconds = 0 } = waiting;
  return { maxWaitMinutes, oldestAt, isLate: oldestSeconds > maxWaitMinutes * 60 };
}
