import type { Database } from "../../shared/table/database.ts";
import type { Item } from "../../shared/table/items.ts";
import { type PartitionQuery, queryPartition } from "../../shared/table/query-index.ts";

type RangeQuery = PartitionQuery & { readonly range: NonNullable<PartitionQuery["range"]> };

/** A partition that is being read: its next item, and the rest. */
interface Source {
  head: Item;
  readonly place: () => string;
  readonly rest: AsyncGenerator<Item, void>;
}

/** The items of several partitions as one list, the last of the sort key first, as far as the caller continues. */
export async function* newestFirst(
  database: Database,
  queries: readonly RangeQuery[],
  onEmpty: (query: RangeQuery) => void = () => undefined,
): AsyncGenerator<Item, void> {
  const started = await Promise.all(queries.map((query) => start(database, query)));
  for (const [index, query] of queries.entries()) if (started[index] === undefined) onEmpty(query);
  const sources = new Set(started.filter((source) => source !== undefined));
  while (sources.size > 0) {
    const newest = [...sources].reduce((left, right) =>
      right.place() > left.place() ? right : left,
    );
    yield newest.head;
    const { value } = await newest.rest.next();
    if (value === undefined) sources.delete(newest);
    else newest.head = value;
  }
}

async function start(database: Database, query: RangeQuery): Promise<Source | undefined> {
  const rest = queryPartition(database, { ...query, newestFirst: true });
  const { value: head } = await rest.next();
  if (head === undefined) return undefined;
  const source: Source = { head, rest, place: () => String(source.head[query.range.name]) };
  return source;
}
