import { readInboxMessage } from "../../shared/inbox/inbox-message.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import { toRfc3339 } from "../../shared/time/timestamp.ts";
import { deliveryPatienceMilliseconds, longestRetryMilliseconds } from "../../shared/timing.ts";
import { fewAtOnce } from "../few-at-once.ts";
import { readAggregates } from "../replay/read-aggregates.ts";
import { readRange } from "../replay/read-range.ts";
import type { EventEntry } from "../replay/stored-event.ts";
import type { Target } from "../target/target.ts";
import { databaseOf } from "../target/target-database.ts";
import { loadRecord } from "./find-record.ts";
import { type Finding, itemId, type RecordKey } from "./quarantined-item.ts";
import type { Scope } from "./scope.ts";

/** Each is read by its key, so their number has a bound. */
const mostRecords = 100_000;

/** A younger event is still on its normal way: process-callback tries it for this time, with pauses. */
export const normalWayMilliseconds = deliveryPatienceMilliseconds + 2 * longestRetryMilliseconds;

interface LookAtRecords {
  readonly stopped?: AbortSignal | undefined;
  readonly onRecords?: ((looked: number) => void) | undefined;
  readonly now?: () => number;
  readonly most?: number;
}

/**
 * Published events that subscribers still miss although their normal way has ended. Their dead letter may have expired.
 * Throws `wrong-usage` if too many events are recorded in the scope, or what `stopped` was told.
 */
export async function undeliveredRecords(
  target: Target,
  scope: Scope,
  { stopped = new AbortController().signal, onRecords, ...limits }: LookAtRecords,
): Promise<readonly Finding[]> {
  let looked = 0;
  const entries = await publishedIn(target, scope, { stopped, onRecords, ...limits });
  const found = await fewAtOnce(entries, async (entry) => {
    stopped.throwIfAborted();
    const finding = await findUndelivered(target, entry);
    looked += 1;
    onRecords?.(looked);
    return finding;
  });
  return found.filter((finding) => finding !== undefined);
}

async function publishedIn(
  target: Target,
  { merchantId, orderNo, since, until: end }: Scope,
  limits: LookAtRecords & { readonly stopped: AbortSignal },
): Promise<readonly EventEntry[]> {
  const { stopped, onRecords, now = Date.now, most = mostRecords } = limits;
  const longAgo = toRfc3339(now() - normalWayMilliseconds);
  const until = end !== undefined && end < longAgo ? end : longAgo;
  if (since !== undefined && since > until) return [];
  const entries: EventEntry[] = [];
  const found = (entry: EventEntry) => {
    if (merchantId !== undefined && entry.merchantId !== merchantId) return;
    if (entries.push(entry) > most) throw tooMany(most);
  };
  const table = target.tables.callbacks;
  // The index is read first, and the user sees that it goes on.
  const onProgress = () => onRecords?.(0);
  const reading = { database: databaseOf(target), table, stopped, found, onProgress };
  const selection = { merchantId, orderNo, since, until, withRefunds: true, types: [] };
  await (orderNo === undefined
    ? readRange(reading, selection)
    : readAggregates(reading, target, selection));
  return entries;
}

async function findUndelivered(
  target: Target,
  { callbackKey, receipt }: RecordKey,
): Promise<Finding | undefined> {
  const key = { callbackKey, receipt };
  const record = await loadRecord(target, key);
  if (record?.outcome !== "published" || record.pending.length === 0) return undefined;
  const message = readInboxMessage(record.message);
  return { id: itemId(key), letter: undefined, record, message, key };
}

function tooMany(most: number): PaycastError {
  return new PaycastError(
    "wrong-usage",
    `More than ${most} events are recorded in that time. Look at a shorter time with --since and --until, then at the next.`,
  );
}
