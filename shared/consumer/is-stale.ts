import { PaycastEventError } from "./event-error.ts";
import type { PaycastEvent } from "./parse-event.ts";
import type { KnownType } from "./typed-events.ts";

/** A `sequence` as events have it, or as a number; undefined if there is none yet. */
export type LastSequence = string | number | undefined;

/** Only these: no money moves with them. */
const typesThatCanBeStale: readonly string[] = [
  "payment.order.confirming",
  "payment.order.timeout",
  "payment.order.failed",
] satisfies KnownType[];

/**
 * True if you may ignore the event, because you have handled a newer one of its `partitionkey`. An event with which
 * money moves, a success or a refund, is never stale: a newer event does not repeat it. For example, a timeout that the
 * service reports after the success has the higher sequence. An event of unknown type is never stale, because nobody can
 * say what it means. The same sequence is not stale either: a message that comes again after a crash must be handled
 * again, and `id` recognizes it.
 */
export function isStale(event: PaycastEvent, lastSequence: LastSequence): boolean {
  return typesThatCanBeStale.includes(event.type) && hasOlderSnapshot(event, lastSequence);
}

/**
 * True if the snapshot in the event (`data.order` or `data.payment`) is older than the one you have, whatever the type.
 * Use it to decide whether to store the snapshot, never whether to handle a success or a refund.
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
