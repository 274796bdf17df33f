import { subscribersTo } from "../../../shared/delivery/subscriber.ts";
import type { PublishedRecord } from "../../../shared/records/callback-record.ts";
import type { Item } from "../../../shared/table/items.ts";
import type { StackSubscriber } from "../ports/queues.ts";
import type { Target } from "../ports/target.ts";
import { hoursOfDay, newestEntries } from "../records/newest-events.ts";
import { keyOf, loadRecord } from "../records/read-records.ts";
import { type Delivery, toReceiptEntry } from "../timeline/receipt-entry.ts";

/** An event for a subscriber, and what became of it. */
export interface SubscriberEvent extends Delivery {
  readonly eventId: string;
  readonly type: string;
  readonly orderNo: string | undefined;
  readonly paymentId: string | undefined;
  readonly merchantId: string;
  readonly sequence: number;
  readonly recordedAt: string;
}

const mostEvents = 10;
/** The index does not say whom an event went to, but it has what the subscriber chose by. */
const mostRead = 50;

/** The newest events of the last day that a subscriber gets. They are read from the records: no queue is touched. */
export async function newestDeliveries(
  target: Pick<Target, "clock" | "records">,
  subscriber: StackSubscriber,
): Promise<readonly SubscriberEvent[]> {
  const found: SubscriberEvent[] = [];
  let read = 0;
  const newest = { before: target.clock.now() + 1, hoursAtOnce: hoursOfDay, pageSize: mostEvents };
  for await (const entry of newestEntries(target, newest)) {
    if (!isWanted(entry, subscriber)) continue;
    const record = await loadRecord(target, keyOf(entry));
    read += 1;
    if (record?.outcome === "published") found.push(...eventFor(record, subscriber));
    if (found.length === mostEvents || read === mostRead) break;
  }
  return found;
}

function isWanted({ type, merchantId }: Item, subscriber: StackSubscriber): boolean {
  const wanted = { type: String(type), merchantId: String(merchantId) };
  return subscribersTo(wanted, [subscriber]).length > 0;
}

function eventFor(record: PublishedRecord, { name }: StackSubscriber): SubscriberEvent[] {
  const { published, type = "", orderNo, paymentId } = toReceiptEntry(record);
  const delivery = published?.deliveries.find(({ subscriber }) => subscriber === name);
  if (published === undefined || delivery === undefined) return [];
  const { eventId, sequence } = published;
  const { merchantId, recordedAt } = record;
  return [{ ...delivery, eventId, sequence, type, orderNo, paymentId, merchantId, recordedAt }];
}
