import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { toAttribute } from "../table/attributes.ts";
import type { Order } from "./order.ts";

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

/** Tells those who may not ask for the next while that whoever might has had no answer. */
export async function noteFailedQuery(
  client: DynamoDBClient,
  table: string,
  orderKey: string,
  askedAtMilliseconds: number,
): Promise<void> {
  const command = new UpdateItemCommand({
    TableName: table,
    Key: { orderKey: { S: orderKey } },
    UpdateExpression: "SET queryFailedAtMilliseconds = :askedAt",
    ExpressionAttributeValues: { ":askedAt": toAttribute(askedAtMilliseconds) },
  });
  await client.send(command);
}

/** Whether nobody has had an answer since the service was last asked. */
export function lastQueryFailed(order: Order): boolean {
  const { queriedAtMilliseconds, queryFailedAtMilliseconds } = order;
  return queriedAtMilliseconds !== undefined && queriedAtMilliseconds === queryFailedAtMilliseconds;
}
