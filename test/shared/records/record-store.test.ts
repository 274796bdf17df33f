import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import type { QuarantinedRecord } from "../../../shared/records/callback-record.ts";
import { commitRecord } from "../../../shared/records/record-store.ts";
import type { Database } from "../../../shared/table/database.ts";

const record: QuarantinedRecord = {
  callbackKey: "k",
  receipt: "first",
  origin: "callback",
  merchantId: "m",
  message: "",
  contentHash: "h",
  group: "0a",
  receivedAt: "",
  recordedAt: "",
  flags: [],
  outcome: "quarantined",
  reason: "r",
  detail: "d",
  triedAt: "",
};

/** A database that answers every write; what was written is the other half. */
function database() {
  const client = new DynamoDBClient({ region: "us-east-1" });
  let writes = 0;
  client.middlewareStack.add(
    () => async () => {
      writes += 1;
      return { response: {}, output: { $metadata: {} } };
    },
    { step: "initialize" },
  );
  const clock = { endsAtMilliseconds: 1_000, now: () => 0, random: () => 0, pause: async () => {} };
  const made: Database = { client, ...clock };
  return { made, writes: () => writes };
}

const commit = (made: Database, characters: number) =>
  commitRecord(
    made,
    { callbacks: "c", orders: "o" },
    { ...record, message: "x".repeat(characters) },
    [],
  );

test("a record that leaves no room to say what is wrong with it is not written", async () => {
  const { made, writes } = database();
  await expect(commit(made, 409_600 - 4_096)).rejects.toMatchObject({ code: "item-too-large" });
  expect(writes()).toBe(0);
  expect(await commit(made, 404_000)).toEqual({ kind: "committed" });
  expect(writes()).toBe(1);
});
