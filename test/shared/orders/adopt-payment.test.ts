import { CreateTableCommand, type DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDynamodb } from "../../../local/aws/dynamodb.ts";
import { storePayment } from "../../../shared/orders/end-creation.ts";
import { loadOrder } from "../../../shared/orders/load-order.ts";
import { type Creation, orderKeyOf, paymentKeyOf } from "../../../shared/orders/order.ts";
import { markCaughtUp } from "../../../shared/records/mark-delivery.ts";
import { toAttributes } from "../../../shared/table/attributes.ts";
import { dynamodbClient } from "../../local/aws-clients.ts";
import { publishedRecord } from "../records/callback-record.ts";
import { merchantId } from "./facts.ts";

const tables = { callbacks: "callbacks", orders: "orders" };
let client: DynamoDBClient;
let stop: () => Promise<void>;

beforeAll(async () => {
  const dynamodb = await startDynamodb();
  stop = dynamodb.stop;
  client = dynamodbClient(dynamodb.endpoint);
  await createTable(tables.orders, ["orderKey"]);
  await createTable(tables.callbacks, ["callbackKey", "receipt"]);
});

afterAll(() => stop());

async function createTable(TableName: string, [partition = "", sort]: string[]) {
  const names = [partition, ...(sort === undefined ? [] : [sort])];
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
      KeySchema: names.map((AttributeName, i) => ({
        AttributeName,
        KeyType: i ? "RANGE" : "HASH",
      })),
    }),
  );
}

const put = (TableName: string, item: object) =>
  client.send(new PutItemCommand({ TableName, Item: toAttributes(item) }));

const creation: Creation & { paymentId: string } = {
  state: "created",
  contentHash: "hash",
  leaseEndsAtMilliseconds: 0,
  startedAtMilliseconds: 1,
  expiresAtMilliseconds: 2,
  channel: "WEB",
  paymentId: "P1",
};

async function adopt(orderNo: string) {
  const orderKey = orderKeyOf(merchantId, orderNo);
  const paymentKey = paymentKeyOf(merchantId, "P1");
  await put(tables.orders, { orderKey, merchantId, orderNo });
  await put(tables.orders, {
    orderKey: paymentKey,
    merchantId,
    version: 1,
    facts: { f1: 1 },
    refunds: { R1: { refundId: "R1", paymentId: "P1", status: "refund_failed" } },
    behind: new Set(["books#0000000001"]),
  });
  await storePayment(client, tables.orders, { merchantId, orderNo }, creation);
  return { orderKey, paymentKey };
}

test("who waits for a refund of a payment waits for it still when an order has adopted it", async () => {
  const { orderKey } = await adopt("A");
  const order = await loadOrder(client, tables.orders, orderKey);
  expect(order?.behind).toEqual(["books#0000000001"]);
  expect(order?.version).toBe(1);
});

test("who has got it waits no more, neither with the payment nor with the order", async () => {
  const { orderKey, paymentKey } = await adopt("B");
  const record = publishedRecord({
    orderKey: paymentKey,
    sequence: 1,
    pending: ["books"],
    held: ["books"],
  });
  await put(tables.callbacks, {
    callbackKey: record.callbackKey,
    receipt: record.receipt,
    held: new Set(["books"]),
    pending: new Set(["books"]),
  });
  await markCaughtUp(client, tables, record, ["books"], orderKey);
  expect((await loadOrder(client, tables.orders, orderKey))?.behind).toEqual([]);
  expect((await loadOrder(client, tables.orders, paymentKey))?.behind).toEqual([]);
});

test("a payment that belongs to one order is not taken by another", async () => {
  const { orderKey, paymentKey } = await adopt("C");
  await put(tables.orders, { orderKey: orderKeyOf(merchantId, "D"), merchantId, orderNo: "D" });
  await storePayment(client, tables.orders, { merchantId, orderNo: "D" }, creation);
  expect((await loadOrder(client, tables.orders, paymentKey))?.linkedTo).toBe(orderKey);
});
