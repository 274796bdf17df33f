import { expect, test } from "vitest";
import { findTarget } from "../../../operations/target/find-target.ts";
import { useOperatedStack } from "../operated-stack.ts";

const operated = useOperatedStack();

test("the local stack is found with its subscribers as the functions run them", () => {
  const { subscribers, merchants, tables, gateway } = operated.target();
  expect(subscribers.map(({ name, types, ordered }) => [name, types, ordered])).toEqual([
    ["fulfilment", ["payment.order.success", "payment.refund.*"], true],
    ["order-history", ["*"], true],
    ["analytics", ["*"], false],
  ]);
  for (const { queueUrl, deadLettersUrl } of subscribers) expect(deadLettersUrl).not.toBe(queueUrl);
  expect(merchants.map(({ merchantId }) => merchantId)).toEqual(["shop-1"]);
  expect(tables).toEqual(operated.stack().description.tables);
  expect(gateway?.baseUrl).toBe(operated.stack().description.gateway);
});

test("where no stack runs, the message says what to do", async () => {
  await expect(findTarget({ directory: "/nowhere" })).rejects.toThrow(
    "No local stack runs here. Start it with npm start, or name a deployed stack with --stack NAME.",
  );
});
