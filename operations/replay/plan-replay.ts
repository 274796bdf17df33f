import * as z from "zod";
import { matchesPattern } from "../../shared/facts/event-types.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import { getItem } from "../../shared/table/items.ts";
import { findSubscriber } from "../target/find-subscriber.ts";
import type { Target, TargetSubscriber } from "../target/target.ts";
import { databaseOf } from "../target/target-database.ts";
import { readAggregates } from "./read-aggregates.ts";
import { type Reading, readRange } from "./read-range.ts";
import type { Selection } from "./selection.ts";
import { inSendingOrder } from "./sending-order.ts";
import { type EventEntry, type FoundEntry, readStoredEvent } from "./stored-event.ts";
import { isWanted } from "./wanted.ts";

/** A run keeps the keys of its events in memory and in a file, so their number has a bound. */
const mostReplayedEvents = 500_000;

interface SampleEvent {
  readonly recordedAt: string;
  readonly type: string;
  readonly subject: string | undefined;
  readonly sequence: number;
  readonly id: string;
}

export interface ReplayPlan {
  readonly subscriber: TargetSubscriber;
  readonly selection: Selection;
  /** In the order of sending. */
  readonly entries: readonly EventEntry[];
  /** Events of the selection that the subscriber's filter leaves out. */
  readonly unwanted: number;
  /**
   * Events that the subscriber has not got for the first time yet. They are left out. Undefined for a range of time,
   * where only the sending finds them: then `entries` is the most that is sent.
   */
  readonly pending: number | undefined;
  readonly byType: Readonly<Record<string, number>>;
  readonly first: string | undefined;
  readonly last: string | undefined;
  readonly sample: readonly SampleEvent[];
}

export interface PlanReplay extends Pick<Reading, "stopped" | "onProgress"> {
  readonly mostEvents?: number;
}

/** Finds what a replay would send. Sends nothing. Throws `replay-too-large`, `not-found`, or what `stopped` was told. */
export async function planReplay(
  target: Target,
  to: string,
  selection: Selection,
  { stopped, onProgress, mostEvents = mostReplayedEvents }: PlanReplay,
): Promise<ReplayPlan> {
  const subscriber = findSubscriber(target, to);
  const entries: EventEntry[] = [];
  let unwanted = 0;
  let pending = 0;
  const found = ({ pending: names = [], ...entry }: FoundEntry) => {
    if (!isSelected(selection, entry)) return;
    if (!isWanted(subscriber, entry)) unwanted += 1;
    else if (names.includes(to)) pending += 1;
    else if (entries.push(entry) > mostEvents) throw tooLarge(mostEvents);
  };
  const table = target.tables.callbacks;
  const reading = { database: databaseOf(target), table, stopped, found, onProgress };
  await readSelection(reading, target, selection);
  const times = entries.map(({ recordedAt }) => recordedAt).sort();
  const ordered = inSendingOrder(entries);
  return {
    subscriber,
    selection,
    entries: ordered,
    unwanted,
    pending: isOfAggregates(selection) ? pending : undefined,
    byType: countTypes(ordered),
    first: times[0],
    last: times.at(-1),
    sample: await readSample(target, ordered.slice(0, mostSampled)),
  };
}

async function readSelection(reading: Reading, target: Target, selection: Selection) {
  await (isOfAggregates(selection)
    ? readAggregates(reading, target, selection)
    : readRange(reading, selection));
}

function isOfAggregates({ orderNo, paymentId }: Selection): boolean {
  return orderNo !== undefined || paymentId !== undefined;
}

function isSelected({ types, merchantId }: Selection, entry: EventEntry): boolean {
  const isOfType = types.length === 0 || types.some((type) => matchesPattern(entry.type, type));
  return isOfType && (merchantId === undefined || merchantId === entry.merchantId);
}

function countTypes(entries: readonly EventEntry[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of entries) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

const mostSampled = 5;
const subjectSchema = z.object({ subject: z.string().optional() });

async function readSample(target: Target, entries: readonly EventEntry[]): Promise<SampleEvent[]> {
  const reads = entries.map(async ({ callbackKey, receipt }) => {
    const key = { callbackKey, receipt };
    const item = await getItem(databaseOf(target), target.tables.callbacks, key);
    const stored = readStoredEvent(item);
    if (stored === undefined) return [];
    const { subject } = subjectSchema.parse(JSON.parse(stored.event));
    const { recordedAt, type, sequence, factId: id } = stored;
    return [{ recordedAt, type, subject, sequence, id }];
  });
  return (await Promise.all(reads)).flat();
}

function tooLarge(most: number): PaycastError {
  return new PaycastError(
    "replay-too-large",
    `More than ${most} events are selected. Replay a shorter time with --since and --until, then the next.`,
  );
}
