import type { ServiceAttempt, ServicePayment } from "../../operations/calling/service-control.ts";
import { type QueuedEvent, readQueuedEvents } from "../../operations/overview/read-queues.ts";
import type { ReceivingLine } from "../../operations/ports/request-line.ts";
import type { OrderTimeline } from "../../operations/timeline/order-timeline.ts";
import type { ReceiptEntry } from "../../operations/timeline/receipt-entry.ts";
import type { Claim, Step, Tell } from "./play-scenario.ts";
import type { Playground, TourOrder } from "./playground.ts";

/** Slow enough that the callbacks of an order arrive one after the other, even on a busy machine. */
export const calmSpeed = 2;
/**
 * The payment service retries a callback after three seconds instead of a minute. The user's own orders do not expire
 * meanwhile.
 */
export const quickSpeed = 20;

export function makeOne(playground: Playground, orderNo?: string): Step {
  return {
    title: "The storefront creates an order",
    run: async (tell) => {
      const startedAt = Date.now();
      const order = await playground.order(orderNo);
      tell(`${order.orderNo} was created in ${Date.now() - startedAt} ms.`, order);
    },
  };
}

/** The fault is active before the order is created, and only for this order. */
export function makeFaulty(playground: Playground, kind: string, title: string): Step[] {
  const orderNo = playground.newOrderNo();
  const run: Step["run"] = async (tell) => {
    await playground.fault({ kind, orderNo });
    tell(`The fault ${kind} is active, only for ${orderNo}.`);
  };
  return [{ title, run }, makeOne(playground, orderNo)];
}

/** A step that repeats an action for each order. */
export function forEachOrder(
  { orders }: Playground,
  title: string,
  work: (order: TourOrder, tell: Tell) => Promise<void>,
): Step {
  return {
    title,
    run: async (tell) => {
      for (const order of orders) await work(order, tell);
    },
  };
}

export function payAll(playground: Playground, title: string): Step {
  return forEachOrder(playground, title, async (order, tell) => {
    await playground.pay(order);
    tell(`${order.orderNo} is paid at the payment service.`, order);
  });
}

/** Waits until every event of the orders is in each subscriber's queue. */
export function waitForAll(
  playground: Playground,
  title: string,
  ordersOf: () => readonly TourOrder[] = () => playground.orders,
): Step {
  return {
    title,
    run: async (tell) => {
      const orders = ordersOf();
      for (const order of orders) {
        await playground.until(`${order.orderNo} is paid and all its events are sent`, async () => {
          const payment = await playground.payment(order);
          if (!isQuiet(payment)) return undefined;
          const timeline = await playground.timeline(order);
          const isDone = isDelivered(timeline, "success") && hasAll(timeline, payment);
          return isDone ? true : undefined;
        });
      }
      const only = orders.length === 1 ? orders[0] : undefined;
      tell(
        `${only?.orderNo ?? `${orders.length} orders`}: success, and every event is sent.`,
        only,
      );
    },
  };
}

/** Whether all callbacks have been delivered. */
function isQuiet({ status, callbacks }: ServicePayment): boolean {
  const isDone = callbacks.every(({ state }) => state === "delivered" || state === "lost");
  return status === "success" && isDone;
}

/**
 * Whether each accepted callback has its record: the success may be recorded while another callback is still in the
 * inbox.
 */
function hasAll(timeline: OrderTimeline, { callbacks }: ServicePayment): boolean {
  const recorded = new Set(receiptsOf(timeline).map(({ callbackId }) => callbackId));
  return callbacks.every(({ id, state }) => state === "lost" || recorded.has(id));
}

export function attemptsOf({ callbacks }: ServicePayment): ServiceAttempt[] {
  return callbacks.flatMap(({ attempts }) => attempts);
}

/** "payment.order.success" becomes "success". */
export function shortName(eventName: string): string {
  return eventName.replace("payment.order.", "");
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

/** Whether every event was published and sent to every subscriber. */
function isDelivered(timeline: OrderTimeline, status: string): boolean {
  const receipts = receiptsOf(timeline);
  const isSent = ({ published }: ReceiptEntry) =>
    published?.deliveries.every(({ state }) => state === "sent") ?? true;
  return timeline.order?.status === status && receipts.every(isSent);
}

/** Reads the queues themselves: their messages are what the teams receive. */
export async function countArrivals(playground: Playground): Promise<Arrivals[]> {
  const { target, orders, timeline } = playground;
  const published = (await Promise.all(orders.map(timeline)))
    .flatMap(receiptsOf)
    .flatMap((receipt) => receipt.published ?? []);
  const isOwn = isOfOrders(playground);
  return await Promise.all(
    target.queues.subscribers.map(async (subscriber) => {
      const { name, ordered } = subscriber;
      const isFor = ({ deliveries }: Published) =>
        deliveries.some((delivery) => delivery.subscriber === name);
      return {
        subscriber: name,
        ordered,
        wanted: published.filter(isFor).map(({ eventId }) => eventId),
        events: (await readQueuedEvents(target, subscriber)).filter(isOwn),
      };
    }),
  );
}

type Published = NonNullable<ReceiptEntry["published"]>;

function isOfOrders({ orders }: Playground) {
  const numbers = new Set(orders.map(({ orderNo }) => orderNo));
  return ({ orderNo = "" }: { readonly orderNo?: string | undefined }) => numbers.has(orderNo);
}

/** The log lines of receive-callback about the scenario's orders. */
export async function readOwnLines(playground: Playground) {
  return (await readReceived(playground)).filter(isOfOrders(playground));
}

/** The log lines of receive-callback since the scenario began. */
export async function readReceived(playground: Playground): Promise<readonly ReceivingLine[]> {
  const { target, startedMilliseconds: since } = playground;
  const { lines } = await target.log.readRequests({
    services: ["receive-callback"],
    isWanted: () => true,
    pattern: "",
    since,
    until: target.clock.now() + 1,
    limit: Number.MAX_SAFE_INTEGER,
    calls: 1,
    stopped: AbortSignal.timeout(longestReadMilliseconds),
    tell: () => undefined,
  });
  return lines.filter((line) => line.service === "receive-callback");
}

const longestReadMilliseconds = 10_000;

/** "fulfilment 1 of 1, order-history 2 of 2" */
export function eachOnce(arrivals: readonly Arrivals[]): Claim {
  return {
    claim: "Every subscriber's queue holds each of its events once.",
    found: arrivals.map(describeArrivals).join(", ") + whatMayHaveTaken(arrivals),
    holds: arrivals.some(({ wanted }) => wanted.length > 0) && arrivals.every(hasEachOnce),
  };
}

/** An event that was sent but is no longer in the queue was probably read by another program. */
function whatMayHaveTaken(arrivals: readonly Arrivals[]): string {
  const short = arrivals.filter(({ wanted, events }) => events.length < wanted.length);
  if (short.length === 0) return "";
  const names = short.map(({ subscriber }) => subscriber).join(" and ");
  return `. If another program, such as npm run shop, reads the queue of ${names}, stop it and play the scenario again`;
}

function describeArrivals({ subscriber, ordered, wanted, events }: Arrivals): string {
  const distinct = new Set(events.map(({ eventId }) => eventId)).size;
  const repeated = events.length - distinct;
  const why = ordered ? "" : ", as SQS may in a standard queue";
  const aside = repeated === 0 ? "" : ` (${repeated} repeated${why})`;
  return `${subscriber} ${distinct} of ${wanted.length}${aside}`;
}

/** A standard queue may store a message twice if the sender did not get the first response in time. */
function hasEachOnce({ ordered, wanted, events }: Arrivals): boolean {
  const ids = events.map(({ eventId }) => eventId);
  const distinct = new Set(ids);
  const isComplete = distinct.size === wanted.length && wanted.every((id) => distinct.has(id));
  return isComplete && (!ordered || ids.length === distinct.size);
}
