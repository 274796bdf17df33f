import { BatchGetItemCommand, type BatchGetItemCommandInput } from "@aws-sdk/client-dynamodb";
import { fromAttributes, toAttributes } from "./attributes.ts";
import type { Database } from "./database.ts";
import type { Item } from "./items.ts";
import { patiently } from "./patiently.ts";

/** DynamoDB's limit for one call. */
const mostAtOnce = 100;

/**
 * The items of a table with these partition keys, a hundred by one call, for a reader that need not see what was written
 * a moment ago. Items that do not exist are left out; the others come in no particular order.
 */
export async function getItems(
  database: Database,
  table: string,
  keyName: string,
  keys: readonly string[],
): Promise<Item[]> {
  const items: Item[] = [];
  let left = [...new Set(keys)].map((key) => toAttributes({ [keyName]: key }));
  while (left.length > 0) {
    const RequestItems: BatchGetItemCommandInput["RequestItems"] = {
      [table]: { Keys: left.slice(0, mostAtOnce) },
    };
    const command = new BatchGetItemCommand({ RequestItems });
    const { Responses, UnprocessedKeys } = await patiently(database, (abortSignal) =>
      database.client.send(command, { abortSignal }),
    );
    items.push(...(Responses?.[table] ?? []).map(fromAttributes));
    // An answer has at most 16 MB, and less if AWS is throttling. What is missing is asked for again.
    const missing = UnprocessedKeys?.[table]?.Keys ?? [];
    if (missing.length > 0) await database.pause(100 * database.random());
    left = [...missing, ...left.slice(mostAtOnce)];
  }
  return items;
}
