import type { ServiceAttempt, ServicePayment } from "../../operations/calling/service-control.ts";
import { type QueuedEvent, readQueuedEvents } from "../../operations/overview/queued-events.ts";
import type { OrderTimeline } from "../../operations/timeline/order-timeline.ts";
import type { ReceiptEntry } from "../../operations/timeline/receipt-entry.ts";
import type { Claim, Step } from "./play-scenario.ts";
import type { OrderName, Playground, TourOrder } from "./playground.ts";

/** Slow enough that the callbacks of an order arrive one after the other, also on a busy machine. */
export const calmSpeed = 2;
/** The service repeats a callback after three seconds instead of a minute. Orders of the user do not expire meanwhile. */
export const quickSpeed = 20;

/** `orders` gets the order: later steps find it there. */
export function makeOne(
  playground: Playground,
  orders: TourOrder[],
  title: string,
  orderNo?: string,
): Step {
  return {
    title,
    run: async (tell) => {
      const startedAt = Date.now();
      const order = await playground.order(orderNo);
      orders.push(order);
      tell(`${order.orderNo} was made in ${Date.now() - startedAt} ms.`, order);
    },
  };
}

export function payAll(playground: Playground, orders: readonly TourOrder[], title: string): Step {
  return {
    title,
    run: async (tell) => {
      for (const order of orders) {
        await playground.pay(order);
        tell(`${order.orderNo} is paid at the payment service.`, order);
      }
    },
  };
}

/** Until every event of the orders lies in every queue that wants it. */
export function waitForAll(
  playground: Playground,
  orders: readonly TourOrder[],
  title: string,
): Step {
  return {
    title,
    run: async (tell) => {
      for (const order of orders) {
        await playground.until(`${order.orderNo} is paid and all its events are sent`, async () => {
          const payment = await playground.payment(order);
          if (!isQuiet(payment)) return undefined;
          const timeline = await playground.timeline(order);
          const isDone = isDelivered(timeline, "success") && hasAll(timeline, payment);
          return isDone ? true : undefined;
        });
      }
      const [first] = orders;
      const told = orders.length === 1 && first ? first.orderNo : `${orders.length} orders`;
      tell(`${told}: success, and every event is sent.`, orders.length === 1 ? first : undefined);
    },
  };
}

/** Whether no callback is on its way any more. */
function isQuiet({ status, callbacks }: ServicePayment): boolean {
  const isDone = callbacks.every(({ state }) => state === "delivered" || state === "lost");
  return status === "success" && isDone;
}

/** Whether each callback that was accepted has its record: the success may be recorded while another one is in the inbox. */
function hasAll(timeline: OrderTimeline, { callbacks }: ServicePayment): boolean {
  const recorded = new Set(receiptsOf(timeline).map(({ callbackId }) => callbackId));
  return callbacks.every(({ id, state }) => state === "lost" || recorded.has(id));
}

export function attemptsOf({ callbacks }: ServicePayment): ServiceAttempt[] {
  return callbacks.flatMap(({ attempts }) => attempts);
}

/** "payment.order.success" is told as "success". */
export function shortName(eventName: string): string {
  return eventName.replace("payment.order.", "");
}

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
function isDelivered(timeline: OrderTimeline, status: string): boolean {
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
