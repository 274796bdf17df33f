import { type DynamoDBClient, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { toAttribute, toAttributes } from "../table/attributes.ts";
import { tryTransaction } from "../table/try-transaction.ts";
import { adoptRefunds } from "./adopt-refunds.ts";
import { loadOrder } from "./load-order.ts";
import { type Creation, type Order, orderKeyOf, paymentKeyOf } from "./order.ts";
import { orderContended } from "./order-contended.ts";

export interface OrderName {
  readonly merchantId: string;
  readonly orderNo: string;
}

/** A creation that brought a payment. */
export type Created = Creation & { readonly paymentId: string };

const mostAttempts = 5;

/**
 * Refunds of this payment were told before it was known whose it is: the order takes them over, together with
 * the payment itself.
 */
export async function adoptPayment(
  client: DynamoDBClient,
  table: string,
  { merchantId, orderNo }: OrderName,
  creation: Created,
): Promise<void> {
  const orderKey = orderKeyOf(merchantId, orderNo);
  const paymentKey = paymentKeyOf(merchantId, creation.paymentId);
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const payment = await loadOrder(client, table, paymentKey);
    if (payment?.linkedTo !== undefined) {
      await client.send(new UpdateItemCommand(storeCreation(table, orderKey, creation)));
      return;
    }
    const order = await loadOrder(client, table, orderKey);
    if (order === undefined) return;
    const items = adoption(table, order, payment, creation);
    if ((await tryTransaction(client, items)) === "written") return;
  }
  throw orderContended();
}

/** Every payment ever returned is kept: after a lost answer there may be more than one. */
export function storeCreation(table: string, orderKey: string, creation: Created) {
  return {
    TableName: table,
    Key: { orderKey: { S: orderKey } },
    UpdateExpression: "SET #create = :create ADD paymentIds :paymentIds",
    ExpressionAttributeNames: { "#create": "create" },
    ExpressionAttributeValues: {
      ":create": toAttribute(creation),
      ":paymentIds": toAttribute(new Set([creation.paymentId])),
    },
  };
}

function adoption(table: string, order: Order, payment: Order | undefined, creation: Created) {
  const { merchantId, orderKey, orderNo = "" } = order;
  const adopted = payment === undefined ? order : adoptRefunds(order, payment);
  const { refunds, facts, flags, version } = adopted;
  const fields = { refunds, facts, flags, version };
  const setting = Object.keys(fields).map((field) => `#${field} = :${field}`);
  const stored = storeCreation(table, orderKey, creation);
  // Who still waits for one of these refunds must not get a later one first.
  const lanes = toAttributes({ behind: new Set(payment?.behind) });
  const takeOver = {
    ...stored,
    UpdateExpression: `SET ${setting.join(", ")}, #create = :create ADD paymentIds :paymentIds${lanes["behind"] ? ", behind :behind" : ""}`,
    ConditionExpression: unchangedSince(order),
    ExpressionAttributeNames: {
      ...stored.ExpressionAttributeNames,
      ...Object.fromEntries(Object.keys(fields).map((field) => [`#${field}`, field])),
    },
    ExpressionAttributeValues: {
      ...stored.ExpressionAttributeValues,
      ...prefixed({ ...toAttributes(fields), ...lanes }),
      ...readVersion(order),
    },
  };
  const link = {
    TableName: table,
    Key: { orderKey: { S: paymentKeyOf(merchantId, creation.paymentId) } },
    UpdateExpression: "SET linkedTo = :orderKey, orderNo = :orderNo, merchantId = :merchantId",
    // A lane that was left since it was read would be waited in for ever.
    ConditionExpression: `${unchangedSince(payment)} AND ${lanes["behind"] ? "behind = :behind" : "attribute_not_exists(behind)"}`,
    ExpressionAttributeValues: {
      ...prefixed({ ...toAttributes({ orderKey, orderNo, merchantId }), ...lanes }),
      ...readVersion(payment),
    },
  };
  return [{ Update: takeOver }, { Update: link }];
}

function unchangedSince(read: Order | undefined): string {
  return (read?.version ?? 0) === 0 ? "attribute_not_exists(version)" : "version = :read";
}

function readVersion(read: Order | undefined) {
  const version = read?.version ?? 0;
  return version === 0 ? {} : { ":read": toAttribute(version) };
}

function prefixed<T>(values: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value]));
}
