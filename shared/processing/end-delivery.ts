import { type Attention, type AttentionSince, aboutOf } from "../attention/attention.ts";
import { claimOfFact } from "../attention/claim.ts";
import { type Failure, isRefusal } from "../delivery/failure.ts";
import type { Fact } from "../facts/fact.ts";
import type { Subject } from "../facts/subject.ts";
import type { PublishedRecord } from "../records/callback-record.ts";
import { toRfc3339 } from "../time/timestamp.ts";
import {
  deliveryPatienceMilliseconds,
  deliveryTrialMilliseconds,
  fewestDeliveryReceives,
} from "../timing.ts";
import type { QueuedMessage } from "./process-batch.ts";

/**
 * How an attempt ends: every subscriber has the event, the message returns to the inbox, or Paycast gives up on the
 * subscribers that do not have it.
 */
export type Ending = "delivered" | "given-back" | "undeliverable";

/** An attempt to deliver an event. */
export interface DeliveryTry {
  readonly queued: QueuedMessage;
  readonly record: PublishedRecord;
  readonly failures: readonly Failure[];
  readonly nowMilliseconds: number;
}

/**
 * While a subscriber is pending, the message returns to the inbox and later events of the order wait. When the patience
 * ends, Paycast gives up and the order continues. A subscriber that was removed from the config ends the same way.
 */
export function endOf(tried: DeliveryTry, isHopeless: (subscriber: string) => boolean): Ending {
  const { failures } = tried;
  if (failures.length === 0) return "delivered";
  if (failures.some(({ kind }) => kind === "untried")) return "given-back";
  const isOver =
    isPatienceOver(tried) ||
    failures.every((failure) => isRefusal(failure) && isHopeless(failure.subscriber));
  return isOver ? "undeliverable" : "given-back";
}

/**
 * The patience starts when the callback is received, so that the waiting times of one order's events overlap and do not
 * add up. After a backlog or a redrive it may be over already, so each event is still tried for a minute. That minute
 * is enough if all missing queues are gone: they rarely come back by themselves, and the order's other subscribers
 * wait.
 */
function isPatienceOver(tried: DeliveryTry): boolean {
  const { queued, record, failures, nowMilliseconds } = tried;
  if (queued.receiveCount < fewestDeliveryReceives) return false;
  if (triedForMilliseconds(tried) < deliveryTrialMilliseconds) return false;
  const waitedMilliseconds = nowMilliseconds - Date.parse(record.receivedAt);
  return (
    failures.every(({ kind }) => kind === "gone") ||
    waitedMilliseconds >= deliveryPatienceMilliseconds
  );
}

/**
 * The first attempt of a callback creates its record. A redriven message has an older record, so its time starts when
 * it is sent.
 */
export function triedForMilliseconds({
  queued,
  record,
  nowMilliseconds,
}: Pick<DeliveryTry, "queued" | "nowMilliseconds"> & {
  readonly record: Pick<PublishedRecord, "recordedAt">;
}): number {
  return nowMilliseconds - Math.max(Date.parse(record.recordedAt), queued.sentAtMilliseconds);
}

/** The subscribers without the event and why, as the record stores it. Undefined if there are none. */
export function remainingAttention(
  { record, failures, nowMilliseconds }: DeliveryTry,
  ending: Ending,
  subject: Subject | undefined,
  fact: Fact,
): AttentionSince | undefined {
  if (failures.length === 0) return undefined;
  // During a redrive an undeliverable event stays undeliverable. Only a delivery or a dismissal ends that.
  const isGivenUp = ending === "undeliverable" || record.attention?.kind === "undeliverable";
  const kind = isGivenUp ? "undeliverable" : "waiting";
  const subscribers = Object.fromEntries(
    failures.map(({ subscriber, errorName }) => [subscriber, errorName.slice(0, 64)]),
  );
  const since = record.attention?.kind === kind ? record.attentionSince : undefined;
  return {
    attention: { kind, subscribers, ...aboutOf(subject), claims: claimOfFact(fact) },
    since: since ?? toRfc3339(nowMilliseconds),
  };
}

/**
 * Whether the record already names the same subscribers. Their errors are not compared: they may change with every
 * attempt.
 */
export function isNoted({ attention }: PublishedRecord, remaining: AttentionSince): boolean {
  const namesOf = ({ subscribers = {} }: Attention) => Object.keys(subscribers).sort().join();
  return (
    attention?.kind === remaining.attention.kind &&
    namesOf(attention) === namesOf(remaining.attention)
  );
}
