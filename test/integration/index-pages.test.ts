import { BatchWriteItemCommand } from "@aws-sdk/client-dynamodb";
import { beforeAll, expect, inject, test } from "vitest";
import { toAttributes } from "../../shared/table/attributes.ts";
import { createDatabases, type Database } from "../../shared/table/database.ts";
import { queryAll, scanIndex } from "../../shared/table/query-index.ts";
import { dynamodbClient } from "../tools/local/aws/aws-clients.ts";
import { takeTables } from "./aws-stores.ts";

/** With keys of two kilobytes the index is larger than a page, which DynamoDB ends after a megabyte. */
const keyBytes = 2_000;
const records = Array.from({ length: 650 }, (_record, index) => ({
  callbackKey: String(index).padStart(keyBytes, "0"),
  receipt: "1",
  group: "group",
  timeBucket: "2026-11-17T08#0",
  recordedAt: `2026-11-17T08:00:00.${String(index).padStart(3, "0")}Z`,
}));

let database: Database;
let table: string;

beforeAll(async () => {
  const client = dynamodbClient(inject("emulators").dynamodb);
  database = { ...createDatabases(Date.now)(Date.now() + 60_000), client };
  table = (await takeTables(client)).callbacks;
  for (let from = 0; from < records.length; from += 25) {
    const few = records.slice(from, from + 25);
    const puts = few.map((record) => ({ PutRequest: { Item: toAttributes(record) } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [table]: puts } }));
  }
});

const keys = records.map(({ callbackKey }) => callbackKey);

test("a query reads every page of a partition, in order", async () => {
  const query = { table, index: "by-aggregate", partition: { group: "group" } };
  const found = await queryAll(database, query);
  expect(found.map(({ callbackKey }) => callbackKey)).toEqual(keys);
  const newestFirst = await queryAll(database, { ...query, newestFirst: true });
  expect(newestFirst.map(({ callbackKey }) => callbackKey)).toEqual(keys.toReversed());
});

test("a query with small pages reads each item once", async () => {
  const query = { table, index: "by-aggregate", partition: { group: "group" }, pageSize: 100 };
  const found = await queryAll(database, query);
  expect(found.map(({ callbackKey }) => callbackKey)).toEqual(keys);
});

test("a scan reads every page of an index", async () => {
  const found: unknown[] = [];
  for await (const { callbackKey } of scanIndex(database, table, "by-time"))
    found.push(callbackKey);
  expect(found.sort()).toEqual(keys);
});
