import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { openTables } from "../../../../tools/operations/aws/open-tables.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import { eventsOfHours } from "../../../../tools/operations/records/newest-events.ts";

const hourMilliseconds = 3_600_000;
const minute = 60_000;
const hour = 400_000;
const hourEnd = (hour + 1) * hourMilliseconds;

/** An empty table, and how often it was asked for the hour. */
function emptyTarget(clock: { now: number }) {
  let calls = 0;
  const send = async () => {
    calls += 1;
    return { Items: [] };
  };
  const database = openTables({ send } as unknown as DynamoDBClient);
  const target = { records: { table: "callbacks", database }, clock: { now: () => clock.now } };
  const read = async (before: number) => {
    calls = 0;
    const events = eventsOfHours(target as unknown as Target, {
      before,
      hour,
      count: 1,
      pageSize: 1,
    });
    expect(await events.next()).toEqual({ done: true, value: undefined });
    return calls;
  };
  return { read };
}

test("an empty hour is read again while an event may still come into it", async () => {
  const clock = { now: hourEnd + 10 * minute };
  const { read } = emptyTarget(clock);
  const shards = await read(clock.now);
  expect(shards).toBeGreaterThan(0);
  expect(await read(clock.now)).toBe(shards);
  clock.now += 1;
  expect(await read(clock.now)).toBe(shards);
  expect(await read(clock.now)).toBe(0);
});

test("an hour of which only a part was read is read again, however old it is", async () => {
  const { read } = emptyTarget({ now: hourEnd + 24 * hourMilliseconds });
  const shards = await read(hourEnd - 1);
  expect(await read(hourEnd)).toBe(shards);
  expect(await read(hourEnd)).toBe(0);
});
