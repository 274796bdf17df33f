import { attentionPartitions, byAttentionIndex } from "../../../shared/attention/attention.ts";
import { keyOfId } from "../../../shared/envelope/deduplication.ts";
import { isResultObject } from "../../../shared/facts/subject.ts";
import type { CallbackRecord } from "../../../shared/records/callback-record.ts";
import type { Item } from "../../../shared/table/items.ts";
import { queryPage } from "../../../shared/table/query-index.ts";
import type { Target } from "../ports/target.ts";
import { startOfHour } from "../records/events-by-time.ts";
import { hourBefore, hoursOfDay, newestEntries } from "../records/newest-events.ts";
import { contentOfRecord, readByKeys } from "../records/read-records.ts";

export interface LookOptions {
  /** Continues where an earlier search ended; quarantined callbacks are searched only without it. */
  readonly before?: string | undefined;
  readonly stopped: AbortSignal;
  /** The most events to read. */
  readonly most?: number;
}

/** What was found, and what was searched. */
export interface Looked {
  readonly matches: readonly CallbackRecord[];
  readonly records: number;
  /** Every event since then was searched. */
  readonly since: string;
}

/** A limit of cost: 2,000 records are about 1,000 read units. */
const usualMost = 2_000;
const longestMilliseconds = 10_000;
/** Read by one call. */
const batchSize = 100;
const mostQuarantinedPerShard = 50;

/**
 * Reads the newest records whole, because no index has the text. Ends when something is found, or at a limit of records
 * or time.
 */
export async function lookThrough(
  target: Pick<Target, "clock" | "records">,
  isMatch: (record: CallbackRecord) => boolean,
  { before: asked, stopped, most = usualMost }: LookOptions,
): Promise<Looked> {
  const endsAt = Date.now() + longestMilliseconds;
  const before = asked === undefined ? target.clock.now() + 60_000 : Date.parse(asked);
  const aside = asked === undefined ? await quarantined(target) : [];
  const matches = aside.filter(isMatch);
  let records = aside.length;
  let events = 0;
  let batch: Item[] = [];
  const readBatch = async () => {
    matches.push(...(await readByKeys(target, batch, false)).filter(isMatch));
    records += batch.length;
    batch = [];
  };
  for await (const place of newestEntries(target, { before, hoursAtOnce, pageSize })) {
    const last = batch.at(-1)?.["recordedAt"];
    // Only between two times: the next search begins before the last one, and must miss nothing.
    if (batch.length >= Math.min(batchSize, most) && place["recordedAt"] !== last) {
      await readBatch();
      const isOver = events >= most || Date.now() > endsAt || stopped.aborted;
      if (matches.length > 0 || isOver) return { matches, records, since: String(last) };
    }
    events += 1;
    batch.push(place);
  }
  await readBatch();
  const since = startOfHour(hourBefore(before) - lookBackHours + 1);
  return { matches, records, since };
}

/** A day, and another. Each hour costs eight calls, even if it is empty. */
const hoursAtOnce = [...hoursOfDay, 24];
const lookBackHours = hoursAtOnce.reduce((sum, hours) => sum + hours, 0);
const pageSize = 50;

/** Quarantined callbacks are few, and have an index of their own. */
async function quarantined(target: Pick<Target, "records">): Promise<CallbackRecord[]> {
  const keys = await Promise.all(
    attentionPartitions("quarantined").map((attentionShard) => {
      const partition = { attentionShard };
      const query = { table: target.records.table, index: byAttentionIndex, partition };
      const newest = { ...query, newestFirst: true };
      return queryPage(target.records.database, newest, mostQuarantinedPerShard);
    }),
  );
  return await readByKeys(target, keys.flat(), false);
}

/** The fields of a result object that name something (§2.9, §2.11, §2.12). */
const namingFields = [
  "transactionId",
  "refundId",
  "referRefundNo",
  "paymentId",
  "referOrderNo",
  "outOrderNo",
];

/** The fields of a record that hold the text: of the record itself, or of the result object that it keeps. */
export function fieldsWith(record: CallbackRecord, text: string): string[] {
  const isEvent = record.outcome !== "quarantined" && record.factId === text;
  const { callbackId } = record;
  const isCallback = callbackId !== undefined && keyOfId(callbackId) === keyOfId(text);
  const { result } = contentOfRecord(record);
  const named = isResultObject(result)
    ? namingFields.filter((name) => name in result && String(result[name]) === text)
    : [];
  return [...(isEvent ? ["event"] : []), ...(isCallback ? ["callback"] : []), ...named];
}
