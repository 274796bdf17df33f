import { deliveryText } from "./delivery.ts";
import type { ReceiptEntry } from "./receipt-entry.ts";

/** Something that is not right with an order now. */
export interface Need {
  readonly text: string;
  /** Paycast does not try it any more. */
  readonly isFinal: boolean;
}

/** What is said in place of a redrive if all of it only waits. */
export const triedByItself = "It is tried again by itself.";

/** Who has not got an event, since when and why, and what nobody understood; `timeOf` is how the face writes a time. */
export function needsOf(
  entries: readonly ({ readonly kind: string } | ReceiptEntry)[],
  timeOf: (rfc3339: string) => string,
): readonly Need[] {
  const receipts = entries.filter((entry): entry is ReceiptEntry => entry.kind === "receipt");
  return receipts.flatMap((one) => [...undelivered(one, timeOf), ...misunderstood(one, timeOf)]);
}

type TimeOf = Parameters<typeof needsOf>[1];

/** A delivery that nobody has tried yet is on its way. */
function undelivered({ published, type }: ReceiptEntry, timeOf: TimeOf): Need[] {
  const stuck = published?.deliveries.filter(({ errorName }) => errorName !== undefined) ?? [];
  return stuck.map((delivery) => ({
    isFinal: delivery.state === "given-up",
    text: `${delivery.subscriber} has not got ${type}: ${deliveryText(delivery, timeOf)}.`,
  }));
}

function misunderstood({ quarantined }: ReceiptEntry, timeOf: TimeOf): Need[] {
  if (quarantined?.since === undefined) return [];
  const { reason, since } = quarantined;
  const text = `A callback could not be understood since ${timeOf(since)}: ${reason}.`;
  return [{ isFinal: true, text }];
}
