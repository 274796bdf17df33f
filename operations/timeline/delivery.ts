import type { PublishedRecord } from "../../shared/records/callback-record.ts";

/** What became of an event for one subscriber. */
export interface Delivery {
  readonly subscriber: string;
  /**
   * `waiting`: the event has not been sent to the subscriber's queue yet. `given-up`: Paycast does not try it any more.
   * `dismissed`: a person decided that the subscriber does not get it.
   */
  readonly state: "sent" | "waiting" | "given-up" | "dismissed";
  /** Since when the queue refuses it, or when it was given up; undefined if no try was made. */
  readonly since?: string | undefined;
  /** The error of the queue. */
  readonly errorName?: string | undefined;
}

export function deliveriesOf(record: PublishedRecord): readonly Delivery[] {
  const { recipients, pending, dismissed = [], attention, attentionSince: since } = record;
  return recipients.map((subscriber) => {
    if (dismissed.includes(subscriber)) return { subscriber, state: "dismissed" };
    if (!pending.includes(subscriber)) return { subscriber, state: "sent" };
    const errorName = attention?.subscribers?.[subscriber];
    if (errorName === undefined) return { subscriber, state: "waiting" };
    const state = attention?.kind === "undeliverable" ? "given-up" : "waiting";
    return { subscriber, state, since, errorName };
  });
}

/** "waiting since 2026-11-16T02:44:00Z, because QueueDoesNotExist"; `timeOf` is how the face writes a time. */
export function deliveryText(
  { state, since, errorName }: Delivery,
  timeOf: (rfc3339: string) => string,
): string {
  switch (state) {
    case "sent":
      return "delivered";
    case "dismissed":
      return "dismissed";
    case "waiting":
      return since === undefined
        ? "waiting"
        : `waiting since ${timeOf(since)}, because ${errorName}`;
    case "given-up":
      return `given up at ${timeOf(since ?? "")}, because ${errorName}`;
  }
}
