import { type QueuedEvent, readQueuedEvents } from "../../operations/overview/queued-events.ts";
import type { OrderTimeline } from "../../operations/timeline/order-timeline.ts";
import type { ReceiptEntry } from "../../operations/timeline/receipt-entry.ts";
import type { Playground } from "./playground.ts";
import type { Claim, OrderName } from "./scenario.ts";

/** One event that Paycast published, from its record. */
interface PublishedFact {
  readonly eventId: string;
  readonly type: string;
  readonly recipients: readonly string[];
}

/** The events of some orders in one subscriber's queue, in the order in which they arrived. */
export interface Arrivals {
  readonly subscriber: string;
  readonly ordered: boolean;
  /** The events that were published for it. */
  readonly wanted: readonly string[];
  readonly events: readonly QueuedEvent[];
}

export function receiptsOf({ entries }: OrderTimeline): ReceiptEntry[] {
  return entries.flatMap((entry) => (entry.kind === "receipt" ? [entry] : []));
}

function publishedIn(timeline: OrderTimeline): PublishedFact[] {
  return receiptsOf(timeline).flatMap(({ type = "", published }) => {
    if (published === undefined) return [];
    const recipients = published.deliveries.map(({ subscriber }) => subscriber);
    return [{ eventId: published.eventId, type, recipients }];
  });
}

/** Whether every event was published and sent to everyone. */
export function isDelivered(timeline: OrderTimeline, status: string): boolean {
  const receipts = receiptsOf(timeline);
  const isSent = ({ published }: ReceiptEntry) =>
    published?.deliveries.every(({ state }) => state === "sent") ?? true;
  return timeline.order?.status === status && receipts.every(isSent);
}

/** Looks into the queues themselves: what lies there is what the teams get. */
export async function countArrivals(
  { target, timeline }: Playground,
  orders: readonly OrderName[],
): Promise<Arrivals[]> {
  const facts = (await Promise.all(orders.map(timeline))).flatMap(publishedIn);
  const numbers = new Set(orders.map(({ orderNo }) => orderNo));
  return await Promise.all(
    target.subscribers.map(async (subscriber) => {
      const { name, ordered } = subscriber;
      const queued = await readQueuedEvents(subscriber);
      return {
        ...{ subscriber: name, ordered },
        wanted: facts.filter((fact) => fact.recipients.includes(name)).map((fact) => fact.eventId),
        events: queued.filter(({ orderNo }) => orderNo !== undefined && numbers.has(orderNo)),
      };
    }),
  );
}

/** "fulfilment 1 of 1, order-history 2 of 2" */
export function eachOnce(arrivals: readonly Arrivals[]): Claim {
  return {
    claim: "Every subscriber's queue holds each of its events once.",
    found: arrivals.map(describeArrivals).join(", ") + whatMayHaveTaken(arrivals),
    holds: arrivals.some(({ wanted }) => wanted.length > 0) && arrivals.every(hasEachOnce),
  };
}

/** What was sent and is not in the queue any more was most likely read by a program that runs beside the tour. */
function whatMayHaveTaken(arrivals: readonly Arrivals[]): string {
  const short = arrivals.filter(({ wanted, events }) => events.length < wanted.length);
  if (short.length === 0) return "";
  const names = short.map(({ subscriber }) => subscriber).join(" and ");
  return `. If a program reads the queue of ${names}, as npm run shop does, stop it and play this again`;
}

function describeArrivals({ subscriber, ordered, wanted, events }: Arrivals): string {
  const distinct = new Set(events.map(({ eventId }) => eventId)).size;
  const repeated = events.length - distinct;
  const why = ordered ? "" : ", as SQS may in a queue without order";
  const aside = repeated === 0 ? "" : ` (${repeated} repeated${why})`;
  return `${subscriber} ${distinct} of ${wanted.length}${aside}`;
}

/** A queue without order takes a message twice if the sender did not get the first answer in time. */
function hasEachOnce({ ordered, wanted, events }: Arrivals): boolean {
  const ids = events.map(({ eventId }) => eventId);
  const distinct = new Set(ids);
  const isComplete = distinct.size === wanted.length && wanted.every((id) => distinct.has(id));
  return isComplete && (!ordered || ids.length === distinct.size);
}

/** How often each subscriber has this event that wants it: [1, 1, 1]. */
export function countsOf(arrivals: readonly Arrivals[], eventId: string): number[] {
  return arrivals
    .filter(({ wanted }) => wanted.includes(eventId))
    .map(({ events }) => events.filter((event) => event.eventId === eventId).length);
}

/** "1" if all are the same, otherwise "0 to 2". */
export function range(counts: readonly number[]): string {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (counts.length === 0) return "no";
  return least === most ? String(least) : `${least} to ${most}`;
}
