import { randomUUID } from "node:crypto";
import {
  BatchGetItemCommand,
  type BatchGetItemCommandInput,
  ConditionalCheckFailedException,
  GetItemCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { PaycastError } from "../paycast-error.ts";
import { fromAttributes, toAttribute, toAttributes } from "./attributes.ts";
import type { Database } from "./database.ts";
import { patiently } from "./patiently.ts";

export type Item = Record<string, unknown>;

/** Writes a whole item if the condition holds for the stored one. */
export interface ConditionalPut {
  readonly table: string;
  readonly item: object;
  readonly condition: string;
  /** The condition's values, by their names without the colon. */
  readonly values?: Readonly<Record<string, unknown>>;
}

/** `refused`: a condition did not hold, and nothing was written. `found` holds the stored items, by index. */
type PutResult =
  | { readonly kind: "written" }
  | { readonly kind: "refused"; readonly found: readonly (Item | undefined)[] };

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

/**
 * Writes all items or none. A single item is a transaction too: its token is the same for every repeat, so the write
 * can be repeated safely when an answer is lost. Throws `item-too-large` if an item is too large for DynamoDB.
 */
export async function putItems(
  database: Database,
  puts: readonly ConditionalPut[],
): Promise<PutResult> {
  const command = new TransactWriteItemsCommand({
    TransactItems: puts.map(toPut),
    ClientRequestToken: randomUUID(),
  });
  try {
    await patiently(database, (abortSignal) => database.client.send(command, { abortSignal }));
    return { kind: "written" };
  } catch (error) {
    if (speaksOfSize(error)) throw itemTooLarge(error);
    if (!(error instanceof TransactionCanceledException)) throw error;
    return readCancellation(error);
  }
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

function toPut({ table, item, condition, values }: ConditionalPut) {
  return {
    Put: {
      TableName: table,
      Item: toAttributes(item),
      ConditionExpression: condition,
      ...(values && { ExpressionAttributeValues: namedValues(values) }),
      ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
    },
  };
}

function namedValues(values: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`:${name}`, toAttribute(value)]),
  );
}

function readCancellation(error: TransactionCanceledException): PutResult {
  const reasons = error.CancellationReasons ?? [];
  if (!reasons.some(({ Code }) => Code === "ConditionalCheckFailed")) throw error;
  return { kind: "refused", found: reasons.map(({ Item: item }) => item && fromAttributes(item)) };
}

/** An item may have 400 KB. Only DynamoDB's message names this cause; any other invalid request is our own error. */
function speaksOfSize(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const cancelled = error instanceof TransactionCanceledException;
  if (!cancelled && error.name !== "ValidationException") return false;
  const reasons = cancelled ? (error.CancellationReasons ?? []) : [];
  const messages = [error.message, ...reasons.map(({ Message }) => Message ?? "")];
  return messages.some((message) => /item size|size limit|maximum allowed size/i.test(message));
}

function itemTooLarge(cause: unknown): PaycastError {
  return new PaycastError("item-too-large", "The item is too large for DynamoDB.", {
    cause,
  });
}

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
