import { readSubscribers, type SubscriberFlow } from "../../operations/overview/read-flow.ts";
import { findSubscriber } from "../../operations/ports/queues.ts";
import {
  newestDeliveries,
  type SubscriberEvent,
} from "../../operations/queues/newest-deliveries.ts";
import { type QueueHistory, readQueueHistory } from "../../operations/queues/queue-history.ts";
import type { ConsoleContext } from "../console-context.ts";
import { type ApiRoute, view } from "../server/route.ts";

export interface SubscribersView {
  readonly subscribers: readonly SubscriberFlow[];
}

/** Newest first. */
export interface SubscriberEvents {
  readonly events: readonly SubscriberEvent[];
}

export function subscriberRoutes(context: ConsoleContext): ApiRoute[] {
  return [
    view("/api/subscribers", async (): Promise<SubscribersView> => {
      const target = await context.target();
      return { subscribers: await readSubscribers(target, target.queues.subscribers) };
    }),
    view("/api/subscribers/:name", async ({ parts }): Promise<SubscribersView> => {
      const target = await context.target();
      const subscriber = findSubscriber(target.queues, parts["name"] ?? "");
      return { subscribers: await readSubscribers(target, [subscriber]) };
    }),
    view("/api/subscribers/:name/history", async ({ parts }): Promise<QueueHistory> => {
      const target = await context.target();
      const { name, queueUrl } = findSubscriber(target.queues, parts["name"] ?? "");
      const history = await readQueueHistory(target, queueUrl);
      // The local stack has it to the second.
      return { ...history, lastReadAt: context.lab?.readAt(name) ?? history.lastReadAt };
    }),
    view("/api/subscribers/:name/events", async ({ parts }): Promise<SubscriberEvents> => {
      const target = await context.target();
      const subscriber = findSubscriber(target.queues, parts["name"] ?? "");
      return { events: await newestDeliveries(target, subscriber) };
    }),
  ];
}
