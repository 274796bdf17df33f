import { PaycastEventError } from "./event-error.ts";
import type { PaycastEvent } from "./parse-event.ts";
import type { KnownType } from "./typed-events.ts";

/** The `sequence` of an event, as text or as a number; undefined if there is none yet. */
export type LastSequence = string | number | undefined;

/** Types that tell only of the status, which a newer event replaces. The others tell of money that moved, or of a refund. */
const canBeStale: Readonly<Record<KnownType, boolean>> = {
  "payment.order.confirming": true,
  "payment.order.timeout": true,
  "payment.order.failed": true,
  "payment.order.success": false,
  "payment.refund.failed": false,
  "payment.refund.success": false,
};

const typesThatCanBeStale = new Set(
  Object.entries(canBeStale).flatMap(([type, can]) => (can ? [type] : [])),
);

/**
 * True if you may ignore the event, because you have handled a newer one of its `partitionkey`.
 *
 * A success or a refund is never stale: money moved, and a newer event does not repeat it. For example, a timeout that
 * the payment service reports after the success has the higher sequence. An event of unknown type is never stale. An event
 * with the same sequence is not stale either: after a crash it must be handled again, and `id` recognises it.
 *
 * @example
 * ```ts
 * import { isStale, parseEvent } from "paycast-events";
 *
 * export function handleBody(body: string, lastSequence: string | undefined) {
 *   const event = parseEvent(body);
 *   if (isStale(event, lastSequence)) return;
 *   console.log(event.type, event.subject);
 * }
 * ```
 */
export function isStale(event: PaycastEvent, lastSequence: LastSequence): boolean {
  return typesThatCanBeStale.has(event.type) && hasOlderSnapshot(event, lastSequence);
}

/**
 * True if the snapshot in the event (`data.order` or `data.payment`) is older than yours, for every type. Use it to decide
 * whether to store the snapshot, never whether to handle a success or a refund.
 *
 * @example
 * ```ts
 * import { hasOlderSnapshot, type OrderEvent } from "paycast-events";
 *
 * const orders = new Map<string, OrderEvent>();
 *
 * export function keepOrder(event: OrderEvent) {
 *   const kept = orders.get(event.partitionkey);
 *   if (!hasOlderSnapshot(event, kept?.sequence)) orders.set(event.partitionkey, event);
 * }
 * ```
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
