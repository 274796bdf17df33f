import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  ConditionalCheckFailedException,
  PutItemCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { PaycastError } from "../errors/paycast-error.ts";
import { fromAttributes, namedValues, toAttributes } from "./attributes.ts";
import type { Database } from "./database.ts";
import type { Item } from "./items.ts";
import { patiently } from "./patiently.ts";

/**
 * Writes a whole item if the condition holds for the stored one. Without a condition it replaces whatever is stored.
 */
export interface ConditionalPut {
  readonly table: string;
  readonly item: object;
  readonly condition?: string;
  /** The condition's values, by their names without the colon. */
  readonly values?: Readonly<Record<string, unknown>>;
}

/** `refused`: a condition did not hold, and nothing was written. `found` has the stored items, by index. */
export type PutResult =
  | { readonly kind: "written" }
  | { readonly kind: "refused"; readonly found: readonly (Item | undefined)[] };

/** Writes all items or none. Throws `item-too-large` if an item is too large for DynamoDB. */
export async function putItems(
  database: Database,
  puts: readonly ConditionalPut[],
): Promise<PutResult> {
  const [first, ...others] = puts;
  try {
    if (first === undefined) return { kind: "written" };
    return await (others.length === 0 ? putOne(database, first) : putTogether(database, puts));
  } catch (error) {
    throw isAboutSize(error) ? itemTooLarge(error) : error;
  }
}

/** Every retry has the same token, so the transaction can be repeated safely after a lost response. */
async function putTogether(
  database: Database,
  puts: readonly ConditionalPut[],
): Promise<PutResult> {
  const command = new TransactWriteItemsCommand({
    TransactItems: puts.map((put) => ({ Put: toPut(put) })),
    ClientRequestToken: randomUUID(),
  });
  try {
    await patiently(database, () => database.client.send(command));
    return { kind: "written" };
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    return readCancellation(error);
  }
}

/**
 * Writes without a transaction, which would cost twice as much. After a lost response, the retry finds what it wrote
 * itself and its condition fails: the stored item is then exactly the one that was to be written.
 */
async function putOne(database: Database, put: ConditionalPut): Promise<PutResult> {
  const command = new PutItemCommand(toPut(put));
  let sent = 0;
  try {
    await patiently(database, () => {
      sent += 1;
      return database.client.send(command);
    });
    return { kind: "written" };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const { Item: found, $metadata } = error;
    const isRepeat = sent > 1 || ($metadata.attempts ?? 1) > 1;
    if (isRepeat && isDeepStrictEqual(found, command.input.Item)) return { kind: "written" };
    return { kind: "refused", found: [found && fromAttributes(found)] };
  }
}

function toPut({ table, item, condition, values }: ConditionalPut) {
  return {
    TableName: table,
    Item: toAttributes(item),
    ConditionExpression: condition,
    ...(values && { ExpressionAttributeValues: namedValues(values) }),
    ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
  };
}

function readCancellation(error: TransactionCanceledException): PutResult {
  const reasons = error.CancellationReasons ?? [];
  if (!reasons.some(({ Code }) => Code === "ConditionalCheckFailed")) throw error;
  return { kind: "refused", found: reasons.map(({ Item: item }) => item && fromAttributes(item)) };
}

/**
 * An item may have 400 KB. Only DynamoDB's message identifies this cause; any other invalid request is our own error.
 */
function isAboutSize(error: unknown): boolean {
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
