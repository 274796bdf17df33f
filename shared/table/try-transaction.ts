import {
  type DynamoDBClient,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";

/** `contended`: another transaction was at the same items; the same may be tried again. */
export type Transaction = "written" | "condition-failed" | "contended";

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
