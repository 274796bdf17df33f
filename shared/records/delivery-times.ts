import type { PublishedRecord } from "./callback-record.ts";

type Marked = Pick<PublishedRecord, "deliveredAt">;

/**
 * What a delivery adds to the record's `deliveredAt`. The first one adds its time alone, which counts for everybody that
 * has no time of its own: mostly all subscribers get an event at once, and a record stays small. A later one names whom
 * it reached.
 */
export function deliveryMarks(
  { deliveredAt }: Marked,
  subscribers: readonly string[],
  at: string,
): ReadonlySet<string> {
  if (deliveredAt === undefined) return new Set([at]);
  return new Set(subscribers.map((name) => `${at} ${name}`));
}

/** When a subscriber got the event, if it has got it. */
export function deliveryTime({ deliveredAt = [] }: Marked, subscriber: string): string | undefined {
  const marks = deliveredAt.map((mark) => mark.split(" "));
  const own = marks.find(([, name]) => name === subscriber);
  const first = marks.find(([, name]) => name === undefined);
  return (own ?? first)?.[0];
}
