import type { PublishedRecord } from "./callback-record.ts";

type Marked = Pick<PublishedRecord, "deliveredAt">;

/**
 * What a delivery adds to the record's `deliveredAt`. If one delivery reached everybody, it adds its time alone, so that a
 * record stays small. Any other delivery names whom it reached: another instance may deliver to the rest at the same
 * time, and a time without a name would then count for the wrong ones.
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

/** When a subscriber got the event, if it has got it. */
export function deliveryTime({ deliveredAt = [] }: Marked, subscriber: string): string | undefined {
  const marks = deliveredAt.map((mark) => mark.split(" "));
  const own = marks.find(([, name]) => name === subscriber);
  const first = marks.find(([, name]) => name === undefined);
  return (own ?? first)?.[0];
}
