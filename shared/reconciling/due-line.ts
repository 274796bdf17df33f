import * as z from "zod/mini";
import { byDueIndex, byEarlyIndex, dueShards } from "../orders/due.ts";
import type { Database } from "../table/database.ts";
import { queryPartition } from "../table/query-index.ts";

/**
 * An entry of an index: an order, and when it is due there. The order itself may have changed a moment ago. DynamoDB
 * guarantees both fields, and nothing else is checked: an item with an absurd time must not stop the reading of all
 * others.
 */
const dueEntrySchema = z.object({ aggregateKey: z.string(), dueAtMilliseconds: z.number() });

export type DueEntry = z.output<typeof dueEntrySchema>;

/** The end of the line that a reader begins at. */
export type End = "oldest" | "newest";

/** The merchant of an entry, without reading its order. */
export function merchantIdOf({ aggregateKey }: Pick<DueEntry, "aggregateKey">): string {
  const [merchantId = ""] = aggregateKey.split("#order#", 1);
  return merchantId;
}

/** The orders in a line, read from both its ends. Each of them is given once. */
export function createLine(find: (end: End) => AsyncIterable<DueEntry>) {
  const given = new Set<string>();
  const ends = new Map<End, AsyncIterator<DueEntry>>();
  return {
    /** The next order from this end, or undefined if all were given. */
    next: async (end: End): Promise<DueEntry | undefined> => {
      const entries = ends.get(end) ?? find(end)[Symbol.asyncIterator]();
      ends.set(end, entries);
      for (let next = await entries.next(); !next.done; next = await entries.next()) {
        if (given.has(next.value.aggregateKey)) continue;
        given.add(next.value.aggregateKey);
        return next.value;
      }
      return undefined;
    },
  };
}

/** Entries in memory, as a reader at this end finds them. */
export async function* fromEnd(entries: readonly DueEntry[], end: End): AsyncGenerator<DueEntry> {
  const oldestFirst = entries.toSorted(
    (left, right) => left.dueAtMilliseconds - right.dueAtMilliseconds,
  );
  yield* end === "oldest" ? oldestFirst : oldestFirst.toReversed();
}

/** The indexes with a due time, and the attribute that has it. */
const lines = {
  due: { index: byDueIndex, name: "dueAtMilliseconds" },
  early: { index: byEarlyIndex, name: "earlyAtMilliseconds" },
} as const;

export interface DueRange {
  readonly line: keyof typeof lines;
  readonly from: number;
  readonly until: number;
  readonly end: End;
}

/** The due orders of a range. Reads only as far as the caller iterates. */
export async function* findDue(
  database: Database,
  table: string,
  range: DueRange,
): AsyncGenerator<DueEntry, void> {
  const shards = dueShards.map((shard) => readShard(database, table, shard, range));
  const heads = await Promise.all(shards.map(async (entries) => await readHead(entries)));
  const next = () => heads.reduce((first, head) => earlier(first, head, range.end), undefined);
  for (let first = next(); first !== undefined; first = next()) {
    yield first.entry;
    heads[heads.indexOf(first)] = await readHead(first.entries);
  }
}

interface Head {
  readonly entry: DueEntry;
  readonly entries: AsyncGenerator<DueEntry, void>;
}

/** The next entry of a shard, or undefined at its end. */
async function readHead(entries: AsyncGenerator<DueEntry, void>): Promise<Head | undefined> {
  const next = await entries.next();
  return next.done ? undefined : { entry: next.value, entries };
}

/** Which of two heads comes first for a reader that began at this end. */
function earlier(first: Head | undefined, head: Head | undefined, end: End): Head | undefined {
  if (first === undefined || head === undefined) return first ?? head;
  const isOlder = head.entry.dueAtMilliseconds < first.entry.dueAtMilliseconds;
  return isOlder === (end === "oldest") ? head : first;
}

/** Entries of each shard that are read together. A run queries a few hundred orders at most. */
const pageSize = 25;

async function* readShard(
  database: Database,
  table: string,
  dueShard: string,
  { line, from, until, end }: DueRange,
): AsyncGenerator<DueEntry, void> {
  const { index, name } = lines[line];
  const items = queryPartition(database, {
    table,
    index,
    partition: { dueShard },
    range: { name, from, until },
    pageSize,
    newestFirst: end === "newest",
  });
  for await (const item of items) {
    yield dueEntrySchema.parse({ ...item, dueAtMilliseconds: item[name] });
  }
}
