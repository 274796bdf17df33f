import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import type { Work } from "../described/description.ts";
import type { Target } from "../ports/target.ts";
import { hourMilliseconds, readEventsBetween, type TimeRange } from "../records/events-by-time.ts";
import { findEvents, isOfAggregates } from "../records/find-events.ts";
import type { EventEntry } from "../records/read-records.ts";
import { compareTexts, isSelected, isWanted, type ReplayPlan } from "./plan-replay.ts";
import type { Selection } from "./selection.ts";

/** Events in the order of sending. */
export interface Portion {
  readonly entries: readonly EventEntry[];
  /** Events that were read too, and are part of the next portion. */
  readonly held: readonly EventEntry[];
}

/** The events of a plan, hour by hour: a replay of any length needs the memory for one hour. */
export async function* portionsInOrder(
  target: Pick<Target, "stack" | "orders" | "records">,
  { subscriber, selection, hours }: ReplayPlan,
  { stopped }: Pick<Work, "stopped">,
): AsyncGenerator<Portion, void> {
  let waiting: EventEntry[] = [];
  const found = (entry: EventEntry) => {
    if (isSelected(selection, entry) && isWanted(subscriber, entry)) waiting.push(entry);
  };
  const reading = { target, stopped, tell: () => undefined, found };
  if (isOfAggregates(selection)) await findEvents(reading, selection);
  else {
    for (const hour of hours) {
      await readEventsBetween(reading, rangeOfHour(hour, selection));
      const portion = splitAt(endOfHour(hour) - clockMarginMilliseconds, waiting);
      yield portion;
      waiting = [...portion.held];
    }
  }
  yield { entries: inSendingOrder(waiting), held: [] };
}

function rangeOfHour(hour: number, { since = "", until, events }: Selection): TimeRange {
  const start = toRfc3339(hour * hourMilliseconds);
  const end = toRfc3339(endOfHour(hour) - 1);
  return { since: since > start ? since : start, until: until < end ? until : end, events };
}

function endOfHour(hour: number): number {
  return (hour + 1) * hourMilliseconds;
}

/**
 * The clocks of the functions that record events differ by less than this. Events of the last minute of an hour wait for
 * the next hour, which may hold an earlier sequence of the same aggregate.
 */
const clockMarginMilliseconds = 60_000;

function splitAt(endMilliseconds: number, entries: readonly EventEntry[]): Portion {
  const end = toRfc3339(endMilliseconds);
  const places = placesOf(entries);
  const ofPlaces = (placed: readonly Placed[]) => placed.map(({ entry }) => entry);
  return {
    entries: ofPlaces(places.filter(({ place }) => place < end)),
    held: ofPlaces(places.filter(({ place }) => place >= end)),
  };
}

export function inSendingOrder(entries: readonly EventEntry[]): EventEntry[] {
  return placesOf(entries).map(({ entry }) => entry);
}

interface Placed {
  readonly entry: EventEntry;
  readonly place: string;
}

/**
 * By time, and within an aggregate always by `sequence`. The functions that recorded the events have clocks that differ
 * a little, so the time alone could put a later sequence first: an event's place is the latest time of its aggregate's
 * events up to it.
 */
function placesOf(entries: readonly EventEntry[]): Placed[] {
  const sorted = [...entries].sort(
    (entry, other) => compareTexts(entry.group, other.group) || entry.sequence - other.sequence,
  );
  const placed: Placed[] = [];
  for (const entry of sorted) {
    const before = placed.at(-1);
    const isLater = before?.entry.group === entry.group && before.place > entry.recordedAt;
    placed.push({ entry, place: isLater ? before.place : entry.recordedAt });
  }
  // The sort is stable: within a place, groups and sequences stay as they are.
  return placed.sort((entry, other) => compareTexts(entry.place, other.place));
}
