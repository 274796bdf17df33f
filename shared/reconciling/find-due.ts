import * as z from "zod/mini";
import { byDueIndex, dueShards } from "../orders/due.ts";
import type { Database } from "../table/database.ts";
import { queryPartition } from "../table/query-index.ts";

/**
 * An entry of the index. The order itself may have changed a moment ago. DynamoDB guarantees both fields, and nothing
 * else is checked: an item with an absurd time must not stop the reading of all others.
 */
const dueEntrySchema = z.object({ aggregateKey: z.string(), dueAtMilliseconds: z.number() });

export type DueEntry = z.output<typeof dueEntrySchema>;

/** The merchant of an entry, without reading its order. */
export function merchantIdOf({ aggregateKey }: DueEntry): string {
  const [merchantId = ""] = aggregateKey.split("#order#", 1);
  return merchantId;
}

/** Entries of each shard that are read together. A run queries a few hundred orders at most. */
const pageSize = 25;

/** The due orders, oldest first. Reads only as far as the caller iterates. */
export async function* findDue(
  database: Database,
  table: string,
  untilMilliseconds: number,
): AsyncGenerator<DueEntry, void> {
  const shards = dueShards.map((shard) => readShard(database, table, shard, untilMilliseconds));
  const heads = await Promise.all(shards.map(async (entries) => await readHead(entries)));
  for (let first = oldest(heads); first !== undefined; first = oldest(heads)) {
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

function oldest(heads: readonly (Head | undefined)[]): Head | undefined {
  return heads.reduce((first, head) => {
    if (first === undefined || head === undefined) return first ?? head;
    return head.entry.dueAtMilliseconds < first.entry.dueAtMilliseconds ? head : first;
  }, undefined);
}

async function* readShard(
  database: Database,
  table: string,
  dueShard: string,
  until: number,
): AsyncGenerator<DueEntry, void> {
  const items = queryPartition(database, {
    table,
    index: byDueIndex,
    partition: { dueShard },
    range: { name: "dueAtMilliseconds", from: 0, until },
    pageSize,
  });
  for await (const item of items) yield dueEntrySchema.parse(item);
}
