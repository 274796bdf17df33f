import type { Failure } from "./failure.ts";
import type { Subscriber } from "./subscriber.ts";

/** What one attempt to deliver an event achieved. */
export interface Delivery {
  readonly delivered: readonly string[];
  readonly failures: readonly Failure[];
}

/** An event's final bytes, and the fields that SQS needs to send it. */
export interface OutgoingEvent {
  readonly event: string;
  readonly eventId: string;
  readonly type: string;
  readonly group: string;
}

/** Rejects if the queue did not accept the event. */
export type SendEvent = (subscriber: Subscriber, outgoing: OutgoingEvent) => Promise<void>;

/** The same, and rejects if there is no response within the time. */
export type SendInTime = (
  ...args: [...sent: Parameters<SendEvent>, limitMilliseconds: number]
) => Promise<void>;

/** Sends events to one queue, and returns what became of each. */
export type SendEvents = (
  subscriber: Subscriber,
  events: readonly OutgoingEvent[],
  limitMilliseconds: number,
) => Promise<SendResults>;

export type SendResult = "accepted" | Error;
export type SendResults = ReadonlyMap<OutgoingEvent, SendResult>;
