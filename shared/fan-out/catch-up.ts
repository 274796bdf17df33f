import type { Order } from "../orders/order.ts";
import type { CallbackRecord } from "../records/callback-record.ts";
import type { PendingEntry } from "../records/pending-records.ts";
import type { FanOut } from "./fan-out-event.ts";
import { waitsForEarlier } from "./lane.ts";

export interface CatchUp {
  readonly loadRecord: (entry: PendingEntry) => Promise<CallbackRecord | undefined>;
  readonly loadOrder: (orderKey: string) => Promise<Order | undefined>;
  readonly fanOut: (record: CallbackRecord, names: readonly string[]) => Promise<FanOut>;
  /** `adoptedBy`: the order that has taken the record's payment over, and its lanes with it. */
  readonly markCaughtUp: (
    record: CallbackRecord,
    done: readonly string[],
    adoptedBy: string | undefined,
  ) => Promise<void>;
  readonly postpone: (record: CallbackRecord) => Promise<void>;
  readonly now: () => number;
}

const nothing: FanOut = { delivered: [], failed: [], gone: [], errors: [] };

/** While a deployment is under way, instances with the old and the new config run side by side. */
const deploymentMilliseconds = 15 * 60_000;

/**
 * Tries one pending event again for those subscribers that are neither `paused` (they have failed in this
 * run already) nor waiting for an earlier event of the same order.
 */
export async function catchUp(
  entry: PendingEntry,
  paused: ReadonlySet<string>,
  deps: CatchUp,
): Promise<FanOut> {
  if (entry.held.every((name) => paused.has(name))) return nothing;
  const record = await deps.loadRecord(entry);
  if (record === undefined || record.held.length === 0) return nothing;
  const { behind = [], linkedTo } = (await deps.loadOrder(record.orderKey)) ?? {};
  const names = record.held.filter(
    (name) => !paused.has(name) && !waitsForEarlier(behind, name, record.sequence ?? 0),
  );
  const sent = await deps.fanOut(record, names);
  const isOld = deps.now() - Date.parse(record.receivedAt) > deploymentMilliseconds;
  const fanOut = isOld ? sent : { ...sent, gone: [] };
  const done = [...fanOut.delivered, ...fanOut.gone];
  if (done.length > 0) await deps.markCaughtUp(record, done, linkedTo);
  if (fanOut.failed.length > 0) await deps.postpone(record);
  return fanOut;
}
