import { readInboxMessage, subjectOfMessage } from "../../shared/inbox/inbox-message.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import { aboutOf } from "../../shared/records/attention.ts";
import { toRfc3339 } from "../../shared/time/timestamp.ts";
import { deliveryPatienceMilliseconds, longestRetryMilliseconds } from "../../shared/timing.ts";
import type { Work } from "../described/description.ts";
import { fewAtOnce } from "../few-at-once.ts";
import { findEvents } from "../records/find-events.ts";
import { loadRecord } from "../records/read-records.ts";
import type { EventEntry } from "../records/stored-event.ts";
import type { Target } from "../target/target.ts";
import { type FoundItem, goneOf, type ItemFilter, itemId, unreachable } from "./item.ts";

/** Each is read by its key, so their number has a bound. */
const mostRecords = 100_000;

/** A younger event is still on its normal way: process-callback tries it for this time, with pauses. */
export const normalWayMilliseconds = deliveryPatienceMilliseconds + 2 * longestRetryMilliseconds;

/**
 * Published events that a subscriber misses although nothing tries to deliver them, as after somebody purged the inbox.
 * Nothing is found without an order or a time. Throws `wrong-usage` if too many events are recorded in that time.
 */
export async function untriedItems(
  target: Target,
  filter: ItemFilter,
  { stopped, tell }: Work,
  most = mostRecords,
): Promise<readonly FoundItem[]> {
  const { kind, reason, orderNo, since } = filter;
  if (kind !== undefined || reason !== undefined) return [];
  if (orderNo === undefined && since === undefined) return [];
  const entries = await publishedIn(target, filter, { stopped, tell }, most);
  let looked = 0;
  const found = await fewAtOnce(entries, async (entry) => {
    stopped.throwIfAborted();
    looked += 1;
    tell(`Looking at recorded events: ${looked} of ${entries.length}`);
    return await untriedItem(target, entry);
  });
  return found.filter((one) => one !== undefined).filter((one) => isMissedBy(one, filter));
}

async function publishedIn(
  target: Target,
  { merchantId, orderNo, since, until: end }: ItemFilter,
  work: Work,
  most: number,
): Promise<readonly EventEntry[]> {
  const longAgo = toRfc3339(Date.now() - normalWayMilliseconds);
  const until = end !== undefined && end < longAgo ? end : longAgo;
  if (since !== undefined && since > until) return [];
  const entries: EventEntry[] = [];
  const found = (entry: EventEntry) => {
    if (merchantId !== undefined && entry.merchantId !== merchantId) return;
    if (entries.push(entry) > most) throw new PaycastError("wrong-usage", tooMany(most));
  };
  const place = { merchantId, orderNo, since, until, withRefunds: true };
  await findEvents({ target, found, ...work }, place);
  return entries;
}

/** Undefined if nothing is missing, or if the record says itself that it needs attention. */
async function untriedItem(target: Target, entry: EventEntry): Promise<FoundItem | undefined> {
  const key = { callbackKey: entry.callbackKey, receipt: entry.receipt };
  const record = await loadRecord(target, key);
  if (record?.outcome !== "published" || record.pending.length === 0) return undefined;
  if (record.attention !== undefined) return undefined;
  const { merchantId, type, callbackId, receivedAt, recordedAt, pending, group, keptUntil } =
    record;
  const about = aboutOf(subjectOfMessage(readInboxMessage(record.message)));
  const item = {
    ...{ id: itemId(key), kind: "untried" as const, since: recordedAt, reason: unreachable },
    ...{ orderNo: undefined, paymentId: undefined, ...about },
    ...{ detail: undefined, type, merchantId, callbackId, receivedAt },
    subscribers: Object.fromEntries(pending.map((name) => [name, "NotTried"])),
    gone: goneOf(target, pending),
  };
  return { item, key, group, keptUntil };
}

function isMissedBy({ item }: FoundItem, { subscriber }: ItemFilter): boolean {
  return subscriber === undefined || Object.hasOwn(item.subscribers, subscriber);
}

function tooMany(most: number): string {
  return `More than ${most} events are recorded in that time, and each would be looked at. Give a shorter time, or a kind: then only the index is read.`;
}
