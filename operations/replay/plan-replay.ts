import * as z from "zod";
import { subscribersTo } from "../../shared/delivery/subscriber.ts";
import { matchesPattern } from "../../shared/facts/event-types.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import type { Work } from "../described/description.ts";
import { isScanned } from "../records/events-by-time.ts";
import { findEvents, isOfAggregates } from "../records/find-events.ts";
import { type EventEntry, type FoundEntry, loadEvent } from "../records/stored-event.ts";
import { findSubscriber, type Target, type TargetSubscriber } from "../target/target.ts";
import { forecastText } from "./forecast.ts";
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
