import { eventSchema, type PaycastEvent } from "../../shared/events/event.ts";
import type { ReceiptEntry } from "./receipt-entry.ts";

/**
 * Adds what each event changed. `entries` are all receipts of one aggregate: each event holds the snapshot after its
 * fact, and the event with the sequence before it holds the snapshot before.
 */
export function withStatuses(entries: readonly ReceiptEntry[]): ReceiptEntry[] {
  const events = new Map(
    entries.flatMap(({ published }) => {
      const read = eventSchema.safeParse(published?.event);
      return published !== undefined && read.success ? [[published.sequence, read.data]] : [];
    }),
  );
  return entries.map((entry) => {
    const { sequence = 0 } = entry.published ?? {};
    const event = events.get(sequence);
    return event === undefined
      ? entry
      : { ...entry, ...changeBy(event, sequence, events.get(sequence - 1)) };
  });
}

function changeBy(
  event: PaycastEvent,
  sequence: number,
  previous: PaycastEvent | undefined,
): Pick<ReceiptEntry, "statusBefore" | "statusAfter"> {
  const statusAfter = statusIn(event, event);
  if (previous !== undefined) return { statusBefore: statusIn(previous, event), statusAfter };
  // Every order begins as pending. A refund has no status before its first fact.
  return {
    statusBefore: sequence === 1 && "order" in event.data ? "pending" : undefined,
    statusAfter,
  };
}

/** The status of the order, or of the refund that `asked` is about, in a snapshot. */
function statusIn({ data }: PaycastEvent, { data: asked }: PaycastEvent): string | undefined {
  if ("order" in data) return data.order.status;
  const { refunds } = data.payment;
  return "refundId" in asked
    ? refunds.find(({ refundId }) => refundId === asked.refundId)?.status
    : undefined;
}
