import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import type { Work } from "./decide-work.js";
import type { HandleEvent, Snapshot } from "./handle-event.js";

/**
 * How long the mark of a handled event is kept. Paycast can replay an event for 90 days. It can then wait 14 days in the
 * queue and 14 in the dead-letter queue. The key of the work never expires and stops an event that arrives even later.
 */
const markDays = 120;

/** One table with the key `pk`. Marks expire; work and snapshots do not. */
export function openTable(
  client: DynamoDBClient,
  TableName: string,
  now: () => number = Date.now,
): HandleEvent {
  return {
    keepSnapshot: async ({ key, sequence, content }: Snapshot) => {
      const Item = {
        pk: { S: key },
        sequence: { S: sequence },
        content: { S: JSON.stringify(content) },
      };
      // Sequences are padded with zeros, so text order is number order.
      const put = new PutItemCommand({
        TableName,
        Item,
        ConditionExpression: "attribute_not_exists(pk) OR #s < :s",
        ExpressionAttributeNames: { "#s": "sequence" },
        ExpressionAttributeValues: { ":s": { S: sequence } },
      });
      await client.send(put).catch(ignoreOlder);
    },
    storeOnce: async (eventId: string, work: Work) => {
      const expiresAt = Math.floor(now() / 1000) + markDays * 86_400;
      const mark = { pk: { S: `event#${eventId}` }, expiresAt: { N: String(expiresAt) } };
      const item = { pk: { S: work.key }, work: { S: JSON.stringify(work) } };
      const TransactItems = [mark, item].map((Item) => ({
        Put: { TableName, Item, ConditionExpression: "attribute_not_exists(pk)" },
      }));
      return await client.send(new TransactWriteItemsCommand({ TransactItems })).then(
        () => true,
        (error) => (isThereAlready(error) ? false : Promise.reject(error)),
      );
    },
  };
}

function ignoreOlder(error: unknown): void {
  if (!(error instanceof ConditionalCheckFailedException)) throw error;
}

/** True only for a failed condition. A conflict with another transaction or a throttled one must be tried again. */
function isThereAlready(error: unknown): boolean {
  if (!(error instanceof TransactionCanceledException)) return false;
  return (error.CancellationReasons ?? []).some(({ Code }) => Code === "ConditionalCheckFailed");
}
