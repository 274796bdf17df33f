import type { BatchGetItemCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import type { Database } from "../../../shared/table/database.ts";
import { getItems } from "../../../shared/table/items.ts";

test("each key is asked for once, a hundred by one call, and again if AWS left it out", async () => {
  const asked: number[] = [];
  const pauses: number[] = [];
  const send = async ({ input }: BatchGetItemCommand) => {
    const { Keys = [] } = input.RequestItems?.["orders"] ?? {};
    asked.push(Keys.length);
    const given = asked.length === 1 ? Keys.slice(0, 90) : Keys;
    const UnprocessedKeys = { orders: { Keys: Keys.slice(given.length) } };
    return { Responses: { orders: given }, UnprocessedKeys };
  };
  const database: Database = {
    client: { send } as unknown as DynamoDBClient,
    endsAtMilliseconds: 1_000,
    now: () => 0,
    random: () => 1,
    pause: async (milliseconds) => void pauses.push(milliseconds),
  };
  const keys = Array.from({ length: 150 }, (_item, index) => `key-${index}`);
  const items = await getItems(database, {
    table: "orders",
    keys: [...keys, "key-0"].map((aggregateKey) => ({ aggregateKey })),
  });
  expect(items.map(({ aggregateKey }) => aggregateKey).sort()).toEqual([...keys].sort());
  expect(asked).toEqual([100, 60]);
  expect(pauses).toEqual([100]);
});
