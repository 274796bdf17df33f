import { type Attention, type AttentionSince, aboutOf } from "../attention/attention.ts";
import { type Failure, isQueueGone } from "../delivery/deliver-event.ts";
import type { Subject } from "../facts/subject.ts";
import type { PublishedRecord } from "../records/callback-record.ts";
import { toRfc3339 } from "../time/timestamp.ts";
import {
  deliveryPatienceMilliseconds,
  deliveryTrialMilliseconds,
  fewestDeliveryReceives,
} from "../timing.ts";
import type { QueuedMessage } from "./process-batch.ts";

/** How a message ends: all subscribers have the event, it is given back, or Paycast gives up on those that are left. */
export type Ending = "delivered" | "given-back" | "undeliverable";

/** A try to deliver an event. */
export interface Tried {
  readonly queued: QueuedMessage;
  readonly record: PublishedRecord;
  readonly failures: readonly Failure[];
  readonly nowMilliseconds: number;
}

/**
 * With a subscriber still pending the message goes back to the inbox. When the patience is over, Paycast gives up and the
 * order goes on. A subscriber that was removed from the config meanwhile ends the same way.
 */
export function endOf(tried: Tried, isHopeless: (subscriber: string) => boolean): Ending {
  const { failures } = tried;
  if (failures.length === 0) return "delivered";
  const isOver =
    isPatienceOver(tried) || failures.every((failure) => isHopeless(failure.subscriber));
  return isOver ? "undeliverable" : "given-back";
}

/**
 * Counted from the receipt of the callback, so that the waiting times of one order's events overlap and do not add up.
 * A backlog or a redriven message may be older than that, so each event is still tried for a minute. That minute is
 * enough if all missing queues are gone: they rarely come back by themselves, and the order's other subscribers wait.
 */
function isPatienceOver(tried: Tried): boolean {
  const { queued, record, failures, nowMilliseconds } = tried;
  if (queued.receiveCount < fewestDeliveryReceives) return false;
  if (triedForMilliseconds(tried) < deliveryTrialMilliseconds) return false;
  const waitedMilliseconds = nowMilliseconds - Date.parse(record.receivedAt);
  return failures.every(isQueueGone) || waitedMilliseconds >= deliveryPatienceMilliseconds;
}

/** The record is made by the first try of a callback. A redriven message has an older record, and begins when it is sent. */
export function triedForMilliseconds({
  queued,
  record,
  nowMilliseconds,
}: Pick<Tried, "queued" | "nowMilliseconds"> & {
  readonly record: Pick<PublishedRecord, "recordedAt">;
}): number {
  return nowMilliseconds - Math.max(Date.parse(record.recordedAt), queued.sentAtMilliseconds);
}

/** Who is left and why, for the record; undefined if nobody is. */
export function attentionLeft(
  { record, failures, nowMilliseconds }: Tried,
  ending: Ending,
  subject: Subject | undefined,
): AttentionSince | undefined {
  if (failures.length === 0) return undefined;
  // An event that was given up stays undeliverable during a redrive. Only a delivery or a dismissal ends that.
  const isGivenUp = ending === "undeliverable" || record.attention?.kind === "undeliverable";
  const kind = isGivenUp ? "undeliverable" : "waiting";
  const subscribers = Object.fromEntries(
    failures.map(({ subscriber, errorName }) => [subscriber, errorName.slice(0, 64)]),
  );
  const since = record.attention?.kind === kind ? record.attentionSince : undefined;
  return {
    attention: { kind, subscribers, ...aboutOf(subject) },
    since: since ?? toRfc3339(nowMilliseconds),
  };
}

/** The record says the same already. The errors of the queues do not count: they may change with every try. */
export function isNoted({ attention }: PublishedRecord, remaining: AttentionSince): boolean {
  const namesOf = ({ subscribers = {} }: Attention) => Object.keys(subscribers).sort().join();
  return (
    attention?.kind === remaining.attention.kind &&
    namesOf(attention) === namesOf(remaining.attention)
  );
}
