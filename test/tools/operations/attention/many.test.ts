import { BatchWriteItemCommand, CreateTableCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import {
  attentionAttributes,
  byAttentionIndex,
  listedAttributes,
} from "../../../../shared/attention/attention.ts";
import { toAttributes } from "../../../../shared/table/attributes.ts";
import { type AttentionList, attention } from "../../../../tools/operations/attention/attention.ts";
import { dismiss } from "../../../../tools/operations/attention/dismiss.ts";
import { findItems } from "../../../../tools/operations/attention/find-items.ts";
import type { AwsClients } from "../../../../tools/operations/aws/aws-clients.ts";
import { openTables } from "../../../../tools/operations/aws/open-tables.ts";
import type { Look } from "../../../../tools/operations/described/description.ts";
import { fewAtOnce } from "../../../../tools/operations/few-at-once.ts";
import { readAttention } from "../../../../tools/operations/overview/read-attention.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import { randomName, scan } from "../../../integration/aws-stores.ts";
import { dynamodbClient } from "../../local/aws/aws-clients.ts";
import { callback, operator } from "./put-aside.ts";

const count = 2_000;
const noon = Date.parse("2026-11-15T12:00:00Z");
const work = { stopped: new AbortController().signal, tell: () => {} };
const list = attention.operations.find(({ verb }) => verb === "list") as Look;
const callbacks = randomName("callbacks");
const calls: string[] = [];
let target: Target;

/** Only the table: its index projects what that of the stack projects. */
beforeAll(async () => {
  const dynamodb = dynamodbClient(inject("emulators").dynamodb);
  const names = ["callbackKey", "receipt", "attentionShard", "attentionSince"];
  const keyOf = (partition: string, sort: string) => [
    { AttributeName: partition, KeyType: "HASH" as const },
    { AttributeName: sort, KeyType: "RANGE" as const },
  ];
  await dynamodb.send(
    new CreateTableCommand({
      TableName: callbacks,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
      KeySchema: keyOf("callbackKey", "receipt"),
      GlobalSecondaryIndexes: [
        {
          IndexName: byAttentionIndex,
          KeySchema: keyOf("attentionShard", "attentionSince"),
          Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: [...listedAttributes] },
        },
      ],
    }),
  );
  const table = { table: callbacks, database: openTables(dynamodb) };
  target = { records: table, orders: table, queues: { subscribers: [] } } as unknown as Target;
  await putMany();
  dynamodb.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        calls.push(commandName);
        return await next(args);
      },
    { step: "finalizeRequest" },
  );
});
beforeEach(() => {
  calls.length = 0;
});
afterAll(() => target.records.database.client.destroy());

/** The records of an outage, a second apart, in the shape in which one callback was really recorded. */
async function putMany(): Promise<void> {
  const { client: dynamodb } = target.records.database;
  const clients = (): AwsClients => {
    throw new Error("only the table is used");
  };
  await operator({ target: () => target, clients }).record(callback({ text: "[]" }), noon);
  const [{ callbackKey, ...attributes } = {}] = await scan(dynamodb, callbacks);
  const items = Array.from({ length: count - 1 }, (_item, index) => {
    const key = { callbackKey: `${callbackKey}-${index}` };
    const since = new Date(noon - (index + 1) * 1000).toISOString();
    const about = { kind: "quarantined" as const, orderNo: `MANY-${index}` };
    return { ...attributes, ...key, ...attentionAttributes(key, about, since) };
  });
  const batches = Array.from({ length: count / 25 }, (_item, at) =>
    items.slice(at * 25, at * 25 + 25),
  );
  await fewAtOnce(batches, async (batch) => {
    const puts = batch.map((item) => ({ PutRequest: { Item: toAttributes(item) } }));
    await dynamodb.send(new BatchWriteItemCommand({ RequestItems: { [callbacks]: puts } }));
  });
}

test("2,000 quarantined records are listed by one query for each shard and part", async () => {
  const { data } = await list.look(target, { limit: "20" }, work);
  expect(calls).toEqual(Array(32).fill("QueryCommand"));
  const { items, ...more } = data as AttentionList;
  expect(more).toEqual({ more: count - 20, isMore: false });
  expect(items.map(({ since }) => (noon - Date.parse(since)) / 1000)).toEqual(
    Array.from({ length: 20 }, (_item, index) => index),
  );
});

test("a kind is listed by one query for each shard", async () => {
  const { data } = await list.look(target, { kind: "waiting" }, work);
  expect(data).toEqual({ items: [], more: 0, isMore: false });
  expect(calls).toEqual(Array(8).fill("QueryCommand"));
});

test("a change of all of them is previewed with a few of them", async () => {
  const { report, yes } = await dismiss.plan(target, { kind: "quarantined" }, work);
  expect(yes).toBe("Dismiss 2000");
  expect(report).toMatchObject({ data: { count, sample: { length: 5 }, waiting: 0 } });
  expect(calls.length).toBeLessThanOrEqual(2 * 8);
});

test("the one that a person looks for is found behind more than are read at once", async () => {
  const kind = "quarantined";
  const until = new Date(noon - (count - 1) * 1000).toISOString();
  const [oldest] = (await findItems(target, { kind, until }, work)).found;
  const ids = [oldest!.item.id.slice(0, 10)];
  expect((await findItems(target, { kind, ids }, work, 1)).found).toEqual([oldest]);
});

test("a summary reads at most 1,000 of a kind, and says that there are more", async () => {
  const summary = await readAttention(target);
  expect(summary).toMatchObject({ quarantined: 1_000, isMore: true, waiting: 0 });
  expect(calls).toEqual(Array(32).fill("QueryCommand"));
});
