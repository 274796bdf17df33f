import type { EventEntry } from "./stored-event.ts";

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
