import type { DynamoDBClient, GetItemCommandInput } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { newPayment } from "../../../../shared/orders/payment.ts";
import { aggregateItem } from "../../../../shared/orders/stored-aggregate.ts";
import { toAttributes } from "../../../../shared/table/attributes.ts";
import { openTables } from "../../../../tools/operations/aws/open-tables.ts";
import { findExact } from "../../../../tools/operations/orders/find-anything.ts";
import { lookUp } from "../../../../tools/operations/orders/look-up.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";

const stopped = new AbortController().signal;

/** A stack that has a payment, which no order has, and nothing else. */
function targetWithPayment(paymentId: string): Target {
  const stored = aggregateItem({ ...newPayment("shop-1", paymentId), revision: 1 });
  const send = async ({ input: { Key } }: { input: GetItemCommandInput }) =>
    Key?.["aggregateKey"]?.S?.endsWith(paymentId) ? { Item: toAttributes(stored) } : { Items: [] };
  const database = openTables({ send } as unknown as DynamoDBClient);
  return {
    stack: { merchants: [{ merchantId: "shop-1" }], smoke: { unavailable: "" } },
    records: { table: "callbacks", database },
    orders: { table: "orders", database },
  } as unknown as Target;
}

test("a text that an index has is not found as a transaction", async () => {
  const target = targetWithPayment("P1");
  const options = { stopped, isQuick: true };
  expect(await findExact(target, "P1", { ...options, as: "transaction" })).toEqual({ hits: [] });
  expect(await findExact(target, "P1", { ...options, as: "payment" })).toMatchObject({
    hits: [{ what: "payment", merchantId: "shop-1", paymentId: "P1" }],
  });
});

test("a payment that no order has is looked up with its records", async () => {
  const found = await lookUp(targetWithPayment("P1"), "P1", { stopped, as: "payment" });
  expect(found).toMatchObject({ hit: { what: "payment", paymentId: "P1" }, receipts: [] });
});
