import {
  type DynamoDBClient,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { PaycastError } from "../paycast-error.ts";

/** `contended`: another transaction was at the same items; the same may be tried again. */
export type Transaction = "written" | "condition-failed" | "contended";

const mostAttempts = 5;

/** Writes all or nothing, again at once where another transaction was at it. Throws `changed-meanwhile`. */
export async function writeTogether(
  client: DynamoDBClient,
  items: TransactWriteItem[],
): Promise<void> {
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const written = await tryTransaction(client, items);
    if (written === "written") return;
    if (written === "condition-failed") break;
  }
  throw new PaycastError("changed-meanwhile", "The items changed meanwhile.", { retryable: true });
}

export async function tryTransaction(
  client: DynamoDBClient,
  items: TransactWriteItem[],
): Promise<Transaction> {
  try {
    await client.send(new TransactWriteItemsCommand({ TransactItems: items }));
    return "written";
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code);
    if (codes.includes("ConditionalCheckFailed")) return "condition-failed";
    if (codes.includes("TransactionConflict")) return "contended";
    throw error;
  }
}
