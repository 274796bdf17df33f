import {
  DeleteItemCommand,
  type DynamoDBClient,
  paginateScan,
  ResourceNotFoundException,
} from "@aws-sdk/client-dynamodb";
import type { MadeTable } from "../stack/stores/make-data-stores.ts";

/** Deletes expired items, as DynamoDB does within days. The emulator does not do this. */
export async function expireItems(
  client: DynamoDBClient,
  tables: readonly MadeTable[],
  nowMilliseconds: number,
): Promise<void> {
  for (const table of tables) {
    try {
      await expireIn(client, table, nowMilliseconds);
    } catch (error) {
      // The table was deleted, so nothing in it can expire. The clock moves on.
      if (!(error instanceof ResourceNotFoundException)) throw error;
    }
  }
}

async function expireIn(
  client: DynamoDBClient,
  { name: TableName, keyAttributes, expiryAttribute }: MadeTable,
  nowMilliseconds: number,
): Promise<void> {
  if (expiryAttribute === undefined) return;
  const pages = paginateScan(
    { client },
    {
      TableName,
      FilterExpression: "#expiry <= :now",
      ProjectionExpression: keyAttributes.map((_name, index) => `#key${index}`).join(", "),
      ExpressionAttributeNames: {
        "#expiry": expiryAttribute,
        ...Object.fromEntries(keyAttributes.map((name, index) => [`#key${index}`, name])),
      },
      ExpressionAttributeValues: { ":now": { N: String(Math.floor(nowMilliseconds / 1_000)) } },
    },
  );
  for await (const { Items = [] } of pages) {
    for (const Key of Items) await client.send(new DeleteItemCommand({ TableName, Key }));
  }
}
