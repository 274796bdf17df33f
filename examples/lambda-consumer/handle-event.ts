import type { KnownEvent, PaycastEvent } from "paycast-events";
import { decideWork, type Work } from "./decide-work.js";

/** An order or a payment as it was after an event. */
export interface Snapshot {
  readonly key: string;
  readonly sequence: string;
  readonly content: object;
}

/** What the flow needs of the table. */
export interface HandleEvent {
  /** Stores the snapshot unless a newer one is stored. */
  readonly keepSnapshot: (snapshot: Snapshot) => Promise<void>;
  /** Stores the work and the event's mark, both or neither. False if the event was handled before. */
  readonly storeOnce: (eventId: string, work: Work) => Promise<boolean>;
}

export type Handled = "stored" | "duplicate" | "nothing to do" | "skipped";

export async function handleEvent(event: PaycastEvent, table: HandleEvent): Promise<Handled> {
  // A newer Paycast sent it. A replay delivers it again after paycast-events is upgraded.
  if (event.type === "unknown") return "skipped";
  await table.keepSnapshot(snapshotOf(event));
  const work = decideWork(event);
  if (work === undefined) return "nothing to do";
  return (await table.storeOnce(event.id, work)) ? "stored" : "duplicate";
}

function snapshotOf({ sequence, data }: KnownEvent): Snapshot {
  return "order" in data
    ? { key: `order#${data.merchantId}#${data.orderNo}`, sequence, content: data.order }
    : { key: `payment#${data.merchantId}#${data.paymentId}`, sequence, content: data.payment };
}
