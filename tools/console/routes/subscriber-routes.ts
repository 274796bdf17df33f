import { readSubscribers, type SubscriberFlow } from "../../operations/overview/read-flow.ts";
import { findSubscriber } from "../../operations/target/target.ts";
import type { ConsoleContext } from "../console-context.ts";
import { type ApiRoute, view } from "../server/route.ts";

export interface SubscribersView {
  readonly subscribers: readonly SubscriberFlow[];
}

export function subscriberRoutes(context: ConsoleContext): ApiRoute[] {
  return [
    view("/api/subscribers", async (): Promise<SubscribersView> => {
      const target = await context.target();
      return { subscribers: await readSubscribers(target, target.subscribers) };
    }),
    view("/api/subscribers/:name", async ({ parts }): Promise<SubscribersView> => {
      const target = await context.target();
      const subscriber = findSubscriber(target, parts["name"] ?? "");
      return { subscribers: await readSubscribers(target, [subscriber]) };
    }),
  ];
}
