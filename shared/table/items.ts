import {
  BatchGetItemCommand,
  type BatchGetItemCommandInput,
  ConditionalCheckFailedException,
  GetItemCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { fromAttributes, namedValues, toAttributes } from "./attributes.ts";
import type { Database } from "./database.ts";
import { patiently } from "./patiently.ts";

export type Item = Record<string, unknown>;

/** A consistent read: it sees what another function has just stored. */
export async function getItem(
  database: Database,
  table: string,
  key: Readonly<Record<string, string>>,
): Promise<Item | undefined> {
  const command = new GetItemCommand({
    TableName: table,
    Key: toAttributes(key),
    ConsistentRead: true,
  });
  const { Item: found } = await patiently(database, (abortSignal) =>
    database.client.send(command, { abortSignal }),
  );
  return found && fromAttributes(found);
}

/** Runs one update expression on the item of a key; false if the condition did not hold. */
export async function updateItem(
  database: Database,
  update: {
    readonly table: string;
    readonly key: Readonly<Record<string, string>>;
    readonly expression: string;
    readonly condition: string;
    readonly values: Readonly<Record<string, unknown>>;
  },
): Promise<boolean> {
  const command = new UpdateItemCommand({
    TableName: update.table,
    Key: toAttributes(update.key),
    UpdateExpression: update.expression,
    ConditionExpression: update.condition,
    // DynamoDB refuses an empty list.
    ...(Object.keys(update.values).length > 0 && {
      ExpressionAttributeValues: namedValues(update.values),
    }),
  });
  try {
    await patiently(database, (abortSignal) => database.client.send(command, { abortSignal }));
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/** DynamoDB's limit for one call. */
const mostAtOnce = 100;

interface ItemsQuery {
  readonly table: string;
  readonly keys: readonly Readonly<Record<string, string>>[];
  /** Whether it must show what was written a moment ago, which costs twice as much. */
  readonly isConsistent?: boolean;
}

/**
 * The items of a table with these keys, a hundred by one call. Items that do not exist are left out; the others come in
 * no particular order.
 */
export async function getItems(
  database: Database,
  { table, keys, isConsistent: ConsistentRead = false }: ItemsQuery,
): Promise<Item[]> {
  const items: Item[] = [];
  // DynamoDB refuses a call that names a key twice.
  const different = new Map(keys.map((key) => [JSON.stringify(key), toAttributes(key)]));
  let remaining = [...different.values()];
  while (remaining.length > 0) {
    const RequestItems: BatchGetItemCommandInput["RequestItems"] = {
      [table]: { Keys: remaining.slice(0, mostAtOnce), ConsistentRead },
    };
    const command = new BatchGetItemCommand({ RequestItems });
    const { Responses, UnprocessedKeys } = await patiently(database, (abortSignal) =>
      database.client.send(command, { abortSignal }),
    );
    items.push(...(Responses?.[table] ?? []).map(fromAttributes));
    // An answer has at most 16 MB, and less if AWS is throttling. What is missing is asked for again.
    const missing = UnprocessedKeys?.[table]?.Keys ?? [];
    if (missing.length > 0) await database.pause(100 * database.random());
    remaining = [...missing, ...remaining.slice(mostAtOnce)];
  }
  return items;
}
