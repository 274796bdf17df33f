import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { toAttribute } from "../table/attributes.ts";
import { tryTransaction } from "../table/try-transaction.ts";
import { adoptPayment, type Created, type OrderName, storeCreation } from "./adopt-payment.ts";
import { type Creation, orderKeyOf, paymentKeyOf } from "./order.ts";
import { orderContended } from "./order-contended.ts";

const noRefundCameFirst = "attribute_not_exists(version)";
const isNobodyElses = "(attribute_not_exists(linkedTo) OR linkedTo = :orderKey)";
const mostAttempts = 5;

/** Stores what the service returned, and the pointer by which its refunds find the order, together. */
export async function storePayment(
  client: DynamoDBClient,
  table: string,
  name: OrderName,
  creation: Created,
): Promise<void> {
  const order = storeCreation(table, orderKeyOf(name.merchantId, name.orderNo), creation);
  const pointer = linkPayment(table, name, creation.paymentId);
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const written = await tryTransaction(client, [{ Update: order }, { Update: pointer }]);
    if (written === "written") return;
    if (written === "condition-failed") return await adoptPayment(client, table, name, creation);
  }
  throw orderContended();
}

/** Ends a creation that brought no payment. Nothing is overwritten that another caller has begun since. */
export async function endCreation(
  client: DynamoDBClient,
  table: string,
  name: OrderName,
  creation: Creation,
  state: "refused" | "unknown",
): Promise<void> {
  const ended: Creation = { ...creation, state, leaseEndsAtMilliseconds: 0 };
  const command = new UpdateItemCommand({
    TableName: table,
    Key: { orderKey: { S: orderKeyOf(name.merchantId, name.orderNo) } },
    UpdateExpression: "SET #create = :ended",
    ConditionExpression: "#create = :begun",
    ExpressionAttributeNames: { "#create": "create" },
    ExpressionAttributeValues: { ":ended": toAttribute(ended), ":begun": toAttribute(creation) },
  });
  try {
    await client.send(command);
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

function linkPayment(table: string, { merchantId, orderNo }: OrderName, paymentId: string) {
  return {
    TableName: table,
    Key: { orderKey: { S: paymentKeyOf(merchantId, paymentId) } },
    UpdateExpression: "SET linkedTo = :orderKey, merchantId = :merchantId, orderNo = :orderNo",
    ConditionExpression: `${noRefundCameFirst} AND ${isNobodyElses}`,
    ExpressionAttributeValues: {
      ":orderKey": toAttribute(orderKeyOf(merchantId, orderNo)),
      ":merchantId": toAttribute(merchantId),
      ":orderNo": toAttribute(orderNo),
    },
  };
}
