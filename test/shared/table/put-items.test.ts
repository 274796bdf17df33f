import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  InternalServerError,
  type PutItemCommand,
} from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { toAttributes } from "../../../shared/table/attributes.ts";
import type { Database } from "../../../shared/table/database.ts";
import { putItems } from "../../../shared/table/put-items.ts";

const ours = { key: "A", revision: 2, list: [{ one: "1", two: 2 }] };
const theirs = { ...ours, revision: 3 };
const put = { table: "orders", item: ours, condition: "revision = :was", values: { was: 1 } };

/** What DynamoDB answers to a condition that does not hold. `attempts` are those of the SDK inside one call. */
function refusedFor(found: object, attempts = 1): Error {
  const $metadata = { attempts };
  return new ConditionalCheckFailedException({ message: "", $metadata, Item: toAttributes(found) });
}

const lostAnswer = () => new InternalServerError({ message: "", $metadata: {} });

/** A database that gives these answers, one by one, then stores. */
function answering(...answers: readonly Error[]) {
  const remaining = [...answers];
  const sent: PutItemCommand[] = [];
  const send = async (command: PutItemCommand) => {
    sent.push(command);
    const error = remaining.shift();
    if (error !== undefined) throw error;
    return {};
  };
  const client = { send } as unknown as DynamoDBClient;
  const clock = { endsAtMilliseconds: 1_000, now: () => 0, random: () => 0, pause: async () => {} };
  return { database: { client, ...clock } satisfies Database, sent };
}

test("one item is written outside a transaction, which costs half", async () => {
  const { database, sent } = answering();
  expect(await putItems(database, [put])).toEqual({ kind: "written" });
  expect(sent.map((command) => command.constructor.name)).toEqual(["PutItemCommand"]);
});

test.each([
  ["our own repeat", answering(lostAnswer(), refusedFor(ours))],
  ["a repeat of the SDK", answering(refusedFor(ours, 2))],
])(
  "an item that %s finds stored was written, and its answer was lost",
  async (_case, { database }) => {
    expect(await putItems(database, [put])).toEqual({ kind: "written" });
  },
);

test.each([
  ["the first try finds an equal one", answering(refusedFor(ours)), ours],
  ["a repeat finds another one", answering(lostAnswer(), refusedFor(theirs)), theirs],
])(
  "an item was not written if %s: another writer was first",
  async (_case, { database }, found) => {
    expect(await putItems(database, [put])).toEqual({ kind: "refused", found: [found] });
  },
);
