import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { PaycastError } from "../paycast-error.ts";
import { toAttribute, toAttributes } from "../table/attributes.ts";
import { tryTransaction } from "../table/try-transaction.ts";
import { adoptRefunds } from "./adopt-refunds.ts";
import { loadOrder } from "./load-order.ts";
import { type Order, orderKeyOf, paymentKeyOf } from "./order.ts";

export interface OrderName {
  readonly merchantId: string;
  readonly orderNo: string;
}

const mostAttempts = 5;

/** Refunds of this payment were told before it was known whose it is: the order takes them over. */
export async function adoptPayment(
  client: DynamoDBClient,
  table: string,
  { merchantId, orderNo }: OrderName,
  paymentId: string,
): Promise<void> {
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const order = await loadOrder(client, table, orderKeyOf(merchantId, orderNo));
    const payment = await loadOrder(client, table, paymentKeyOf(merchantId, paymentId));
    if (order === undefined || payment?.linkedTo !== undefined) return;
    if (await writeAdoption(client, table, order, payment, paymentKeyOf(merchantId, paymentId)))
      return;
  }
  throw orderContended();
}

export function orderContended(): PaycastError {
  return new PaycastError("order-contended", "The order changes too fast.", { retryable: true });
}

async function writeAdoption(
  client: DynamoDBClient,
  table: string,
  order: Order,
  payment: Order | undefined,
  paymentKey: string,
): Promise<boolean> {
  const adopted = payment === undefined ? order : adoptRefunds(order, payment);
  const { refunds, facts, flags, version } = adopted;
  const set = Object.keys({ refunds, facts, flags, version });
  const items = [
    {
      Update: {
        TableName: table,
        Key: { orderKey: { S: order.orderKey } },
        UpdateExpression: `SET ${set.map((field) => `#${field} = :${field}`).join(", ")}`,
        ConditionExpression: unchangedSince(order),
        ExpressionAttributeNames: Object.fromEntries(set.map((field) => [`#${field}`, field])),
        ExpressionAttributeValues: {
          ...prefixed(toAttributes({ refunds, facts, flags, version })),
          ...readVersion(order),
        },
      },
    },
    {
      Update: {
        TableName: table,
        Key: { orderKey: { S: paymentKey } },
        UpdateExpression: "SET linkedTo = :orderKey, orderNo = :orderNo, merchantId = :merchantId",
        ConditionExpression: unchangedSince(payment),
        ExpressionAttributeValues: {
          ":orderKey": toAttribute(order.orderKey),
          ":orderNo": toAttribute(order.orderNo ?? ""),
          ":merchantId": toAttribute(order.merchantId),
          ...readVersion(payment),
        },
      },
    },
  ];
  return (await tryTransaction(client, items)) === "written";
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
