import { UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { itemFormat } from "../../../../shared/table/item-format.ts";
import { placeOrder } from "../place-order.ts";
import { useTarget } from "../use-target.ts";

const operated = useTarget();

test("the list of orders leaves out those that a newer version wrote in its format, and says how many", async () => {
  await placeOrder(operated, "KNOWN");
  await placeOrder(operated, "NEWER");
  const { orders, stack } = operated.target();
  await operated.clients().dynamodb.send(
    new UpdateItemCommand({
      TableName: orders.table,
      Key: { aggregateKey: { S: `${stack.merchants[0]!.merchantId}#order#NEWER` } },
      UpdateExpression: "SET itemFormat = :newer",
      ConditionExpression: "attribute_exists(aggregateKey)",
      ExpressionAttributeValues: { ":newer": { N: String(itemFormat + 1) } },
    }),
  );
  const { out } = await operated.paycast("orders");
  expect(out).toContain("KNOWN");
  expect(out).not.toContain("NEWER");
  expect(out).toMatch(/1 order not listed: a newer version of Paycast wrote/);
});
