import type { ServiceAttempt, ServicePayment } from "../../operations/calling/service-control.ts";
import type { OrderTimeline } from "../../operations/timeline/order-timeline.ts";
import { isDelivered, receiptsOf } from "./count-events.ts";
import type { Playground, TourOrder } from "./playground.ts";
import type { Step } from "./scenario.ts";

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
