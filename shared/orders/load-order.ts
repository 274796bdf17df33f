import { type DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { fromAttributes } from "../table/attributes.ts";
import type { Fact } from "./fact.ts";
import { newOrder, type Order, orderKeyOf, orderSchema, paymentKeyOf } from "./order.ts";

/** Reads consistently: what create-order has just stored must be seen. */
export async function loadOrder(
  client: DynamoDBClient,
  table: string,
  orderKey: string,
): Promise<Order | undefined> {
  const command = new GetItemCommand({
    TableName: table,
    Key: { orderKey: { S: orderKey } },
    ConsistentRead: true,
  });
  const { Item } = await client.send(command);
  return Item === undefined ? undefined : orderSchema.parse(fromAttributes(Item));
}

/**
 * The order that a fact is about, new if it is the first word of it. A refund names a payment (§2.12):
 * the pointer leads to its order, and while there is none the refund is kept with the payment.
 */
export async function loadOrderOf(
  client: DynamoDBClient,
  table: string,
  fact: Fact,
): Promise<Order> {
  const { merchantId } = fact;
  if (fact.kind === "payment") {
    const orderKey = orderKeyOf(merchantId, fact.orderNo);
    const order = await loadOrder(client, table, orderKey);
    return order ?? newOrder(orderKey, merchantId, fact.orderNo);
  }
  const paymentKey = paymentKeyOf(merchantId, fact.paymentId);
  const payment = await loadOrder(client, table, paymentKey);
  if (payment?.linkedTo === undefined) return payment ?? newOrder(paymentKey, merchantId);
  const order = await loadOrder(client, table, payment.linkedTo);
  return order ?? newOrder(payment.linkedTo, merchantId, payment.orderNo);
}
