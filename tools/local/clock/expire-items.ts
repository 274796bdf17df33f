import { DeleteItemCommand, type DynamoDBClient, paginateScan } from "@aws-sdk/client-dynamodb";
import type { MadeTable } from "../stack/stores/make-data-stores.ts";

/** Deletes the items whose time to live is over, as DynamoDB does within days. The emulator never does it. */
export async function expireItems(
  client: DynamoDBClient,
  tables: readonly MadeTable[],
  nowMilliseconds: number,
): Promise<void> {
  for (const { name: TableName, keyAttributes, expiryAttribute } of tables) {
    if (expiryAttribute === undefined) continue;
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
}
