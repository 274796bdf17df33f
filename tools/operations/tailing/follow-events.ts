import { setTimeout as wait } from "node:timers/promises";
import type { PublishedRecord } from "../../../shared/records/callback-record.ts";
import type { Item } from "../../../shared/table/items.ts";
import { queryAll } from "../../../shared/table/query-index.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import type { Target } from "../ports/target.ts";
import { hourOf, queriesOfHour } from "../records/events-by-time.ts";
import { readByKeys } from "../records/read-records.ts";

export interface FollowOptions {
  /** Only events that these subscribers get; all, if empty. */
  readonly subscribers: readonly string[];
  readonly sinceMilliseconds: number;
  readonly stopped: AbortSignal;
}

const pollMilliseconds = 1_000;
/** An index learns of a record a moment after it was written, and the clocks of writers differ. */
const overlapMilliseconds = 60_000;

/**
 * The published events as they arrive, until `stopped`. They are read from the records, not from the queues: this takes
 * nothing away from a consumer and does not count as a receive.
 */
export async function* followEvents(
  target: Pick<Target, "clock" | "records">,
  { subscribers, sinceMilliseconds, stopped }: FollowOptions,
): AsyncGenerator<PublishedRecord, void> {
  const seen = new Map<string, number>();
  let from = sinceMilliseconds;
  while (!stopped.aborted) {
    const until = target.clock.now() + overlapMilliseconds;
    for (const hour of hoursBetween(from, until)) {
      if (stopped.aborted) return;
      const found = await keysOfHour(target, hour, from, until);
      const keys = found.filter((key) => !seen.has(nameOf(key)));
      for (const key of keys) seen.set(nameOf(key), target.clock.now());
      for (const record of await readByKeys(target, keys)) {
        if (record.outcome === "published" && isFor(record, subscribers)) yield record;
      }
    }
    from = Math.max(from, target.clock.now() - overlapMilliseconds);
    forgetBefore(seen, from - overlapMilliseconds);
    await wait(pollMilliseconds, undefined, { signal: stopped }).catch(() => undefined);
  }
}

function isFor({ recipients }: PublishedRecord, names: readonly string[]): boolean {
  return names.length === 0 || recipients.some((name) => names.includes(name));
}

async function keysOfHour(
  target: Pick<Target, "records">,
  hour: number,
  from: number,
  until: number,
): Promise<Item[]> {
  const queries = queriesOfHour(target, hour, toRfc3339(from), toRfc3339(until));
  const items = await Promise.all(queries.map((query) => queryAll(target.records.database, query)));
  return items.flat().sort(byTime);
}

function hoursBetween(from: number, until: number): number[] {
  const first = hourOf(from);
  return Array.from({ length: hourOf(until) - first + 1 }, (_item, index) => first + index);
}

function byTime(left: Item, right: Item): number {
  return String(left["recordedAt"]) < String(right["recordedAt"]) ? -1 : 1;
}

function nameOf({ callbackKey, receipt }: Item): string {
  return `${callbackKey} ${receipt}`;
}

function forgetBefore(seen: Map<string, number>, milliseconds: number): void {
  for (const [name, at] of seen) if (at < milliseconds) seen.delete(name);
}
