import { hangingSendMilliseconds, subscriberSendMilliseconds } from "../timing.ts";
import type { SendEvent, SendInTime } from "./delivery.ts";
import type { FailingSubscribers } from "./failing-subscribers.ts";
import { failureOf, UntriedSend } from "./failure.ts";

/**
 * The deadlines of one batch. While a subscriber's queue hangs, its sends share one deadline, so it costs the batch
 * the time limit of one send and not one for each event. If the queue already hung in an earlier batch, the limit is
 * short: otherwise one such queue would take the inbox's whole throughput from the other subscribers.
 */
export function shareDeadlines(
  { isHanging }: Pick<FailingSubscribers, "isHanging">,
  now: () => number,
): (send: SendInTime) => SendEvent {
  const deadlines = new Map<string, number>();
  return (send) => async (subscriber, outgoing) => {
    const { name } = subscriber;
    const limit = isHanging(name) ? hangingSendMilliseconds : subscriberSendMilliseconds;
    const deadline = deadlines.get(name) ?? now() + limit;
    const remaining = deadline - now();
    if (remaining <= 0) throw new UntriedSend("The queue hung in this batch.");
    deadlines.set(name, deadline);
    try {
      await send(subscriber, outgoing, remaining);
      deadlines.delete(name);
    } catch (error) {
      if (failureOf(name, error).kind !== "no-response") deadlines.delete(name);
      throw error;
    }
  };
}
