import { PaycastEventError } from "./event-error.ts";
import type { PaycastEvent } from "./parse-event.ts";

/** A `sequence` as events have it, or as a number; undefined if there is none yet. */
export type LastSequence = string | number | undefined;

/**
 * True if you may ignore the event, because you have handled a newer one of its `partitionkey`. Only a
 * `payment.order.*` event can be stale. A refund's event never is: each one is a movement of money of its own, also if it
 * comes late. An event of unknown type never is, because nobody can say what it means. The same sequence is not stale
 * either: a message that comes again after a crash must be handled again, and `id` recognizes it.
 */
export function isStale(event: PaycastEvent, lastSequence: LastSequence): boolean {
  return event.type.startsWith("payment.order.") && hasOlderSnapshot(event, lastSequence);
}

/**
 * True if the snapshot in the event (`data.order` or `data.payment`) is older than the one you have, whatever the type.
 * Use it to decide whether to store the snapshot, never whether to handle a refund.
 */
export function hasOlderSnapshot(
  { sequence }: Pick<PaycastEvent, "sequence">,
  lastSequence: LastSequence,
): boolean {
  return lastSequence !== undefined && Number(sequence) < countOf(lastSequence);
}

function countOf(sequence: string | number): number {
  // Ten digits at most: a double holds them exactly.
  if (/^[0-9]{1,10}$/.test(String(sequence))) return Number(sequence);
  throw new PaycastEventError("sequence-malformed", "The last sequence is not a whole number.");
}
