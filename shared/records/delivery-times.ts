import type { PublishedRecord } from "./callback-record.ts";

type Marked = Pick<PublishedRecord, "deliveredAt">;

/**
 * The marks that a delivery adds to the record's `deliveredAt`. A delivery that reached every subscriber adds its time
 * alone, which keeps the record small. Any other delivery adds a name to each time: another instance may deliver to the
 * rest at the same time, and a time without a name would count for the wrong subscribers.
 */
export function deliveryMarks(
  { deliveredAt }: Marked,
  {
    subscribers,
    at,
    isComplete,
  }: { subscribers: readonly string[]; at: string; isComplete: boolean },
): ReadonlySet<string> {
  if (deliveredAt === undefined && isComplete) return new Set([at]);
  return new Set(subscribers.map((name) => `${at} ${name}`));
}

/** When a subscriber received the event; undefined if it has not. */
export function deliveryTime({ deliveredAt = [] }: Marked, subscriber: string): string | undefined {
  const marks = deliveredAt.map((mark) => mark.split(" "));
  const own = marks.find(([, name]) => name === subscriber);
  const first = marks.find(([, name]) => name === undefined);
  return (own ?? first)?.[0];
}
