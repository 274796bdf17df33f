import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { toAttribute } from "../table/attributes.ts";

const intervalMilliseconds = 5_000;

const notAskedLately =
  "attribute_not_exists(queriedAtMilliseconds) OR queriedAtMilliseconds <= :before";

/** Whether this caller may ask the service about the order now: one may in five seconds, however many ask. */
export async function claimQuery(
  client: DynamoDBClient,
  table: string,
  orderKey: string,
  nowMilliseconds: number,
): Promise<boolean> {
  const command = new UpdateItemCommand({
    TableName: table,
    Key: { orderKey: { S: orderKey } },
    UpdateExpression: "SET queriedAtMilliseconds = :now",
    ConditionExpression: notAskedLately,
    ExpressionAttributeValues: {
      ":now": toAttribute(nowMilliseconds),
      ":before": toAttribute(nowMilliseconds - intervalMilliseconds),
    },
  });
  try {
    await client.send(command);
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
