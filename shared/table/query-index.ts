import {
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
  ScanCommand,
} from "@aws-sdk/client-dynamodb";
import { fromAttributes, toAttribute } from "./attributes.ts";
import type { Database } from "./database.ts";
import type { Item } from "./items.ts";
import { patiently } from "./patiently.ts";

/** One partition of an index or, without `index`, of the table itself. Items are sorted by the sort key. */
export interface PartitionQuery {
  readonly table: string;
  readonly index?: string;
  readonly partition: Readonly<Record<string, string>>;
  /** Both ends are included. Both are required, because DynamoDB takes one condition on the sort key. */
  readonly range?: {
    readonly name: string;
    readonly from: string | number;
    readonly until: string | number;
  };
  /** The maximum number of items per call, for a reader that stops early. */
  readonly pageSize?: number;
  /** Descending by sort key. */
  readonly newestFirst?: boolean;
}

/**
 * Reads a partition page by page, as far as the caller iterates. An index lacks what was written a moment ago: to know
 * the current state, read the item again.
 */
export async function* queryPartition(
  database: Database,
  query: PartitionQuery,
): AsyncGenerator<Item, void> {
  const input = inputOf(query);
  let ExclusiveStartKey: QueryCommandInput["ExclusiveStartKey"];
  do {
    const page = await ask(database, { ...input, ExclusiveStartKey });
    yield* (page.Items ?? []).map(fromAttributes);
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
}

/** Reads a whole partition. Use it only for small ones. */
export async function queryAll(database: Database, query: PartitionQuery): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of queryPartition(database, query)) items.push(item);
  return items;
}

/** The first items of a partition, in one call. */
export async function queryPage(
  database: Database,
  query: Omit<PartitionQuery, "pageSize">,
  most: number,
): Promise<Item[]> {
  const { Items = [] } = await ask(database, { ...inputOf(query), Limit: most });
  return Items.map(fromAttributes);
}

/** Counts the items of a partition or a range of it, up to `most`, in one call. */
export async function countItems(
  database: Database,
  query: Omit<PartitionQuery, "pageSize">,
  most: number,
): Promise<number> {
  const input = { ...inputOf(query), Limit: most, Select: "COUNT" } as const;
  const { Count = 0 } = await ask(database, input);
  return Count;
}

async function ask(database: Database, input: QueryCommandInput): Promise<QueryCommandOutput> {
  const command = new QueryCommand(input);
  return await patiently(database, () => database.client.send(command));
}

/** Reads a whole index page by page, in no particular order. */
export async function* scanIndex(
  database: Database,
  TableName: string,
  IndexName: string,
): AsyncGenerator<Item, void> {
  let ExclusiveStartKey: QueryCommandInput["ExclusiveStartKey"];
  do {
    const command = new ScanCommand({ TableName, IndexName, ExclusiveStartKey });
    const page = await patiently(database, () => database.client.send(command));
    yield* (page.Items ?? []).map(fromAttributes);
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
}

function inputOf(query: PartitionQuery): QueryCommandInput {
  const { table, index, partition, range, pageSize, newestFirst = false } = query;
  const [[name, value] = ["", ""]] = Object.entries(partition);
  const within = range && { ":from": toAttribute(range.from), ":until": toAttribute(range.until) };
  return {
    TableName: table,
    IndexName: index,
    KeyConditionExpression: `#partition = :partition${range ? " AND #range BETWEEN :from AND :until" : ""}`,
    ExpressionAttributeNames: { "#partition": name, ...(range && { "#range": range.name }) },
    ExpressionAttributeValues: { ":partition": toAttribute(value), ...within },
    Limit: pageSize,
    ScanIndexForward: !newestFirst,
  };
}
