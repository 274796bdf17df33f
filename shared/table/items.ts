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
  const { Item: found } = await patiently(database, () => database.client.send(command));
  return found && fromAttributes(found);
}

/** Runs an update expression on one item. False if the condition did not hold. */
export async function updateItem(
  database: Database,
  update: {
    readonly table: string;
    readonly key: Readonly<Record<string, string>>;
    readonly expression: string;
    readonly condition: string;
    /** Names that are no plain words, by their place without the #. */
    readonly names?: Readonly<Record<string, string>>;
    readonly values: Readonly<Record<string, unknown>>;
  },
): Promise<boolean> {
  const { names = {} } = update;
  const command = new UpdateItemCommand({
    TableName: update.table,
    Key: toAttributes(update.key),
    UpdateExpression: update.expression,
    ConditionExpression: update.condition,
    // DynamoDB rejects empty maps.
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: placedNames(names) }),
    ...(Object.keys(update.values).length > 0 && {
      ExpressionAttributeValues: namedValues(update.values),
    }),
  });
  try {
    await patiently(database, () => database.client.send(command));
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

function placedNames(names: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(names).map(([place, name]) => [`#${place}`, name]));
}

/** DynamoDB's limit for one call. */
const mostAtOnce = 100;

interface ItemsQuery {
  readonly table: string;
  readonly keys: readonly Readonly<Record<string, string>>[];
  /** Whether the read is consistent, which costs twice as much. */
  readonly isConsistent?: boolean;
}

/**
 * The items with these keys, a hundred per call. Items that do not exist are missing from the result, which has no
 * particular order.
 */
export async function getItems(
  database: Database,
  { table, keys, isConsistent: ConsistentRead = false }: ItemsQuery,
): Promise<Item[]> {
  const items: Item[] = [];
  // DynamoDB rejects a call that names a key twice.
  const different = new Map(keys.map((key) => [JSON.stringify(key), toAttributes(key)]));
  let remaining = [...different.values()];
  while (remaining.length > 0) {
    const RequestItems: BatchGetItemCommandInput["RequestItems"] = {
      [table]: { Keys: remaining.slice(0, mostAtOnce), ConsistentRead },
    };
    const command = new BatchGetItemCommand({ RequestItems });
    const { Responses, UnprocessedKeys } = await patiently(database, () =>
      database.client.send(command),
    );
    items.push(...(Responses?.[table] ?? []).map(fromAttributes));
    // A response has at most 16 MB, and less while AWS throttles. Missing items are requested again.
    const missing = UnprocessedKeys?.[table]?.Keys ?? [];
    if (missing.length > 0) await database.pause(100 * database.random());
    remaining = [...missing, ...remaining.slice(mostAtOnce)];
  }
  return items;
}
