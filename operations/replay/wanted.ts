import { subscribersTo } from "../../shared/delivery/subscriber.ts";
import type { TargetSubscriber } from "../target/target.ts";
import type { EventEntry } from "./stored-event.ts";

/** Whether the subscriber would get the event live, with the filter that the functions run with now. */
export function isWanted(
  subscriber: TargetSubscriber,
  event: Pick<EventEntry, "type" | "merchantId">,
): boolean {
  return subscribersTo(event, [subscriber]).length > 0;
}
