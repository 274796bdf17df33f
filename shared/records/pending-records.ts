import {
  type AttributeValue,
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
} from "@aws-sdk/client-dynamodb";
import * as z from "zod/mini";
import { fromAttributes } from "../table/attributes.ts";
import { toRfc3339 } from "../time/timestamp.ts";
import { type CallbackRecord, callbackRecordSchema, deferredMark } from "./callback-record.ts";

/** What the sparse index holds of a record that deliver-pending has. */
const pendingEntrySchema = z.object({
  callbackKey: z.string(),
  receipt: z.string(),
  orderKey: z.string(),
  receivedAt: z.string(),
  held: z._default(z.array(z.string()), []),
});

export type PendingEntry = z.output<typeof pendingEntrySchema>;

const pageSize = 200;

/** Pages of the entries whose time has come, the oldest first. Reads what is pending, never the table. */
export async function* dueEntries(
  client: DynamoDBClient,
  table: string,
  nowMilliseconds: number,
): AsyncGenerator<readonly PendingEntry[]> {
  let start: Record<string, AttributeValue> | undefined;
  do {
    const command: QueryCommand = new QueryCommand({
      ...pendingIndex(table),
      FilterExpression: "nextAttemptAt <= :now",
      ExpressionAttributeValues: {
        ":deferred": { S: deferredMark },
        ":now": { S: toRfc3339(nowMilliseconds) },
      },
      Limit: pageSize,
      ...(start && { ExclusiveStartKey: start }),
    });
    const page = await client.send(command);
    yield (page.Items ?? []).map((item) => pendingEntrySchema.parse(fromAttributes(item)));
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
}

/** When the oldest of all that is pending was received, due or not. */
export async function oldestPendingAt(
  client: DynamoDBClient,
  table: string,
): Promise<number | undefined> {
  const command = new QueryCommand({
    ...pendingIndex(table),
    ExpressionAttributeValues: { ":deferred": { S: deferredMark } },
    Limit: 1,
  });
  const { Items = [] } = await client.send(command);
  const receivedAt = Items[0]?.["receivedAt"]?.S;
  return receivedAt === undefined ? undefined : Date.parse(receivedAt);
}

/** The whole record as it stands now: the index may lag behind. */
export async function loadRecord(
  client: DynamoDBClient,
  table: string,
  { callbackKey, receipt }: PendingEntry,
): Promise<CallbackRecord | undefined> {
  const command = new GetItemCommand({
    TableName: table,
    Key: { callbackKey: { S: callbackKey }, receipt: { S: receipt } },
    ConsistentRead: true,
  });
  const { Item } = await client.send(command);
  return Item === undefined ? undefined : callbackRecordSchema.parse(fromAttributes(Item));
}

function pendingIndex(table: string) {
  return {
    TableName: table,
    IndexName: "pending",
    KeyConditionExpression: "#deferred = :deferred",
    ExpressionAttributeNames: { "#deferred": "deferred" },
  };
}
