import { BatchWriteItemCommand } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { toAttributes } from "../../../../shared/table/attributes.ts";
import { readVersionUse } from "../../../../tools/operations/records/version-use.ts";
import { readUseBefore } from "../../../../tools/operations/refusals/find-cause.ts";
import { putItem } from "../../../integration/aws-stores.ts";
import { useTarget } from "../use-target.ts";

const operated = useTarget();

/** In a time of its own. */
const noon = Date.UTC(2031, 4, 1, 12, 30);
const record = async (
  minutesAgo: number,
  keyVersion: string | undefined,
  shard = 0,
  time = noon,
  merchantId?: string,
) => {
  const recordedAt = new Date(time - minutesAgo * 60_000).toISOString();
  const strings = {
    callbackKey: `use-${keyVersion}-${minutesAgo}-${shard}`,
    receipt: "first",
    timeBucket: `${recordedAt.slice(0, 13)}#${shard}`,
    recordedAt,
    ...(keyVersion && { keyVersion }),
    ...(merchantId && { merchantId }),
  };
  await putItem(operated.clients().dynamodb, operated.target().records.table, strings);
  return recordedAt;
};
const now = () => noon;

const old = (versionId: string) => ({ versionId, createdAtMilliseconds: 0 });

test("the use of a version is the newest record of any shard, as far back as it takes to see each version", async () => {
  await record(170, "one");
  await record(70, "two", 3);
  const newest = await record(65, "two", 7);
  await record(10, "three", 1);
  // News from a query: no callback, and no keys verified it.
  await record(9, undefined, 1);
  const near = await readVersionUse(operated.target(), [old("three")], now);
  expect(near).toMatchObject({ callbacks: 1, since: "2031-05-01T12:00:00.000Z" });
  const use = await readVersionUse(operated.target(), [old("two"), old("three")], now);
  expect(use).toMatchObject({ callbacks: 4, since: "2031-05-01T07:00:00.000Z" });
  expect(use.lastUsedAt.get("two")).toBe(newest);
  expect(use.timesUsed.get("two")).toBe(2);
  const day = await readVersionUse(operated.target(), [old("never")], now);
  expect(day.since).toBe("2031-04-30T13:00:00.000Z");
});

test("the use of a version is looked for up to the hour before the version was made", async () => {
  const young = { versionId: "young", createdAtMilliseconds: noon - 70 * 60_000 };
  const use = await readVersionUse(operated.target(), [young], now);
  expect(use).toMatchObject({ callbacks: 3, since: "2031-05-01T10:00:00.000Z" });
});

test("use is read up to 2,000 entries, the newest first, and claims no record that was not read", async () => {
  const later = noon + 24 * 3_600_000;
  const { table } = operated.target().records;
  const times = Array.from({ length: 2_010 }, (_item, index) => later - 1_000 - index * 500);
  const puts = times.map((time) => {
    const recordedAt = new Date(time).toISOString();
    const timeBucket = `${recordedAt.slice(0, 13)}#${time % 3}`;
    const names = { callbackKey: `limit-${time}`, receipt: "first", keyVersion: "busy" };
    return { PutRequest: { Item: toAttributes({ ...names, timeBucket, recordedAt }) } };
  });
  while (puts.length > 0) {
    const RequestItems = { [table]: puts.splice(0, 25) };
    await operated.clients().dynamodb.send(new BatchWriteItemCommand({ RequestItems }));
  }
  const use = await readVersionUse(operated.target(), [old("never")], () => later);
  expect(use.callbacks).toBe(2_000);
  expect(use.timesUsed.get("busy")).toBe(2_000);
  expect(use.since).toBe(new Date(times[1_999]!).toISOString());
  // Behind those of busier merchants is found what a quiet one had before its last accepted callback.
  const quiet = async (acceptedUntil?: number) => {
    const target = {
      ...operated.target(),
      clock: { ...operated.target().clock, now: () => later },
    };
    return (await readUseBefore(target, "quiet", acceptedUntil)).lastVersionOf.get("quiet");
  };
  await record(30, "of-quiet", 5, later, "quiet");
  expect(await quiet()).toBeUndefined();
  expect(await quiet(later - 30 * 60_000)).toBe("of-quiet");
});
