import type { Item } from "../../../shared/table/items.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { newestFirst } from "../newest-first.ts";
import { keptFor, type Target } from "../ports/target.ts";
import { hourOf, queriesOfHour, startOfHour } from "./events-by-time.ts";

/**
 * A day in three steps. The newest hour is usually enough. The hours of a step are read together, because most of them
 * may be empty.
 */
export const hoursOfDay = [1, 5, 18] as const;

const hourMilliseconds = 3_600_000;

/** The hour of the last millisecond before a time. */
export function hourBefore(milliseconds: number): number {
  return hourOf(milliseconds - 1);
}

/** Partitions of past hours that are known to be empty. They stay so, and are not read again. */
const emptyBuckets = keptFor(() => new Set<string>());
/** A clock of AWS may be ahead of ours, and the index learns of a record a moment later. */
const unsureMilliseconds = 10 * 60_000;

interface Hours {
  /** Only what was recorded before this time. */
  readonly before: number;
  /** The newest of the hours. */
  readonly hour: number;
  readonly count: number;
  readonly pageSize: number;
}

interface Newest extends Pick<Hours, "before" | "pageSize"> {
  /** How many hours are read together, step by step. */
  readonly hoursAtOnce: readonly number[];
}

/** The index's entries of all published events, newest first, for as many hours as the steps have. */
export async function* newestEntries(
  target: Pick<Target, "clock" | "records">,
  { before, hoursAtOnce, pageSize }: Newest,
): AsyncGenerator<Item, void> {
  let hour = hourBefore(before);
  for (const count of hoursAtOnce) {
    yield* eventsOfHours(target, { before, hour, count, pageSize });
    hour -= count;
  }
}

/** The index's entries of the events that were published in these hours, newest first. */
export async function* eventsOfHours(
  target: Pick<Target, "clock" | "records">,
  { before, hour, count, pageSize }: Hours,
): AsyncGenerator<Item, void> {
  const empty = emptyBuckets(target);
  const hours = Array.from({ length: count }, (_item, back) => hour - back);
  const until = toRfc3339(before - 1);
  const queries = hours.flatMap((wanted) =>
    queriesOfHour(target, wanted, startOfHour(wanted), until).map((query) => {
      return { ...query, pageSize };
    }),
  );
  const unread = queries.filter(({ partition }) => !empty.has(partition.timeBucket));
  yield* newestFirst(target.records.database, unread, ({ partition, range }) => {
    const end = Date.parse(String(range.from)) + hourMilliseconds;
    const isOver = end <= before && end < target.clock.now() - unsureMilliseconds;
    if (isOver) empty.add(String(partition["timeBucket"]));
  });
}
