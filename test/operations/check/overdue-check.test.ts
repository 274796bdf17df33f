import { CreateTableCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, expect, inject, test } from "vitest";
import { overdueCheck } from "../../../operations/check/work-checks.ts";
import { localClients } from "../../../operations/target/aws-clients.ts";
import type { Target } from "../../../operations/target/target.ts";
import { randomName } from "../../integration/aws-stores.ts";

const clients = localClients({ region: "us-east-1", ...inject("emulators") });
afterAll(() => clients.destroy());

const hour = 3_600_000;
const now = Date.UTC(2026, 10, 15);

test("orders that wait for a question since more than an hour are counted, in every shard", async () => {
  const due = await makeTable();
  for (const [shard, dueAt] of [
    ["0", now - 2 * hour],
    ["7", now - 3 * hour],
    ["3", now - 1_000],
  ]) {
    await putOrder(due, String(shard), Number(dueAt));
  }
  expect(await verdicts(due)).toEqual([
    {
      status: "warning",
      message:
        "2 orders should have been asked about at the payment service an hour ago or earlier.",
      action: expect.stringContaining("reconcile-orders"),
    },
  ]);
});

test("without overdue orders the check is ok", async () => {
  expect(await verdicts(await makeTable())).toEqual([{ status: "ok", message: "none" }]);
});

async function verdicts(orders: string) {
  const target = { clients, tables: { callbacks: "none", orders } } as unknown as Target;
  const context = { now: () => now, fetch, commandVersion: "0", limitMilliseconds: 1_000 };
  return await overdueCheck.run(target, context);
}

async function makeTable(): Promise<string> {
  const TableName = randomName("orders");
  await clients.dynamodb.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [
        { AttributeName: "aggregateKey", AttributeType: "S" },
        { AttributeName: "dueShard", AttributeType: "S" },
        { AttributeName: "dueAtMilliseconds", AttributeType: "N" },
      ],
      KeySchema: [{ AttributeName: "aggregateKey", KeyType: "HASH" }],
      GlobalSecondaryIndexes: [
        {
          IndexName: "by-due",
          KeySchema: [
            { AttributeName: "dueShard", KeyType: "HASH" },
            { AttributeName: "dueAtMilliseconds", KeyType: "RANGE" },
          ],
          Projection: { ProjectionType: "KEYS_ONLY" },
        },
      ],
    }),
  );
  return TableName;
}

async function putOrder(TableName: string, dueShard: string, dueAt: number): Promise<void> {
  const Item = {
    aggregateKey: { S: `shop-1#order#${dueAt}` },
    dueShard: { S: dueShard },
    dueAtMilliseconds: { N: String(dueAt) },
  };
  await clients.dynamodb.send(new PutItemCommand({ TableName, Item }));
}
