import { DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import * as z from "zod";
import { subscribersTo } from "../../../shared/delivery/subscriber.ts";
import { matchesPattern } from "../../../shared/facts/event-types.ts";
import { counted } from "../../../shared/number-text.ts";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { byTimeIndex } from "../../../shared/records/time-bucket.ts";
import type { Work } from "../described/description.ts";
import { isScanned } from "../records/events-by-time.ts";
import { findEvents, isOfAggregates } from "../records/find-events.ts";
import { type EventEntry, type FoundEntry, loadEvent } from "../records/read-records.ts";
import { findSubscriber, type Target, type TargetSubscriber } from "../target/target.ts";
import type { Selection } from "./selection.ts";

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

/** Finds what a replay would send. Sends nothing. Throws `replay-too-large`, `not-found`, or what `stopped` was told. */
export async function planReplay(
  target: Target,
  to: string,
  selection: Selection,
  work: Work,
  mostEvents = mostReplayedEvents,
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
  if (!isOfAggregates(selection) && isScanned(selection)) {
    work.note?.(await forecastText(target, work.stopped));
  }
  await findEvents({ target, found, ...work }, selection);
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

/** List prices of us-east-1, as docs/cost.md has them. */
const readUnitDollars = 0.125e-6;
const sendDollars = 0.5e-6;

/** A read unit is a consistent read of so much, or two reads that are not. */
const unitBytes = 4_096;

/**
 * What reading the whole history takes, and then sending all of it, each event in a request of its own. It is said
 * before the first page is read. DynamoDB counts every six hours, and asking costs nothing.
 */
async function forecastText({ clients, tables }: Target, abortSignal: AbortSignal) {
  const command = new DescribeTableCommand({ TableName: tables.callbacks });
  // A forecast that cannot be had stops nothing.
  const described = await clients.dynamodb.send(command, { abortSignal }).catch(() => undefined);
  const { Table } = described ?? {};
  if (Table === undefined) return `${readsAll}. DynamoDB did not say how much that is.`;
  const { ItemCount: records = 0, TableSizeBytes: bytes = 0, GlobalSecondaryIndexes = [] } = Table;
  const index = GlobalSecondaryIndexes.find(({ IndexName }) => IndexName === byTimeIndex);
  const { ItemCount: events = 0, IndexSizeBytes: indexBytes = 0 } = index ?? {};
  if (events === 0) {
    return `${readsAll}. DynamoDB has not counted it yet, so nobody knows how much it is.`;
  }
  const readUnits = Math.ceil(indexBytes / unitBytes / 2);
  const unitsOfRecord = Math.ceil(bytes / Math.max(1, records) / unitBytes);
  const sending = events * (unitsOfRecord * readUnitDollars + sendDollars);
  const megabytes = (indexBytes / 1024 ** 2).toLocaleString("en-US", { maximumFractionDigits: 1 });
  return (
    `${readsAll}: about ${counted(events, "event")}, ${megabytes} MB of the index by time, ` +
    `${counted(readUnits, "read unit")}, ${dollarText(readUnits * readUnitDollars)}. ` +
    `Sending all of them would cost ${dollarText(sending)} more.`
  );
}

const readsAll = "This reads the whole history";

function dollarText(dollars: number): string {
  return dollars < 0.01 ? "less than $0.01" : `about $${dollars.toFixed(2)}`;
}

function isSelected({ types, merchantId }: Selection, entry: EventEntry): boolean {
  const isOfType = types.length === 0 || types.some((type) => matchesPattern(entry.type, type));
  return isOfType && (merchantId === undefined || merchantId === entry.merchantId);
}

/** Whether the subscriber would get the event live, with the filter that the functions run with now. */
export function isWanted(
  subscriber: TargetSubscriber,
  event: Pick<EventEntry, "type" | "merchantId">,
): boolean {
  return subscribersTo(event, [subscriber]).length > 0;
}

function countTypes(entries: readonly EventEntry[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of entries) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

const mostSampled = 5;
const subjectSchema = z.object({ subject: z.string().optional() });

async function readSample(target: Target, entries: readonly EventEntry[]): Promise<SampleEvent[]> {
  const reads = entries.map(async (entry) => {
    const stored = await loadEvent(target, entry);
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

/**
 * By time, and within an aggregate always by `sequence`. The functions that recorded the events have clocks that differ
 * a little, so the time alone could put a later sequence first: an event's place is the latest time of its aggregate's
 * events up to it.
 */
export function inSendingOrder(entries: readonly EventEntry[]): EventEntry[] {
  const sorted = [...entries].sort(
    (one, other) => compare(one.group, other.group) || one.sequence - other.sequence,
  );
  const placed: { entry: EventEntry; place: string }[] = [];
  for (const entry of sorted) {
    const before = placed.at(-1);
    const isLater = before?.entry.group === entry.group && before.place > entry.recordedAt;
    placed.push({ entry, place: isLater ? before.place : entry.recordedAt });
  }
  // The sort is stable: within a place, groups and sequences stay as they are.
  return placed.sort((one, other) => compare(one.place, other.place)).map(({ entry }) => entry);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
