import { beforeEach, describe, expect, test } from "vitest";
import { openNotice } from "../../../shared/attention/notice.ts";
import { saveWithNotices } from "../../../shared/orders/aggregate-store.ts";
import type { QuarantinedRecord } from "../../../shared/records/callback-record.ts";
import { loadRecord, recordIn } from "../../../shared/records/load-record.ts";
import { commitRecord } from "../../../shared/records/record-store.ts";
import { recordItem } from "../../../shared/records/stored-record.ts";
import type { Database } from "../../../shared/table/database.ts";
import { memoryDatabase } from "../../builders/memory-table.ts";

const tables = { callbacks: "callbacks", orders: "orders" };
const record: QuarantinedRecord = {
  callbackKey: "M1#callback#c1",
  receipt: "first",
  origin: "callback",
  merchantId: "M1",
  message: "the message",
  contentHash: "hash",
  group: "0a",
  receivedAt: "2026-11-15T00:00:00.000Z",
  recordedAt: "2026-11-15T00:00:01.000Z",
  flags: [],
  outcome: "quarantined",
  reason: "event-unknown",
  detail: "Unknown.",
  triedAt: "2026-11-15T00:00:01.000Z",
};
const { callbackKey, receipt } = record;

let database: Database;
beforeEach(async () => {
  database = memoryDatabase();
  await commitRecord(database, tables, record, []);
});

const load = (key: { callbackKey: string; receipt: string }) =>
  loadRecord(database, tables.callbacks, key);

describe("a record that a redrive names", () => {
  test("is read as it was written", async () => {
    expect(await load({ callbackKey, receipt })).toEqual(record);
  });

  test.each([
    ["callback", { callbackKey: "M1#callback#c2", receipt }],
    ["receipt", { callbackKey, receipt: "conflict#hash" }],
  ])("does not exist for another %s", async (_part, key) => {
    expect(await load(key)).toBeUndefined();
  });

  test("is not a notice", async () => {
    const subject = { kind: "order", merchantId: "M1", orderNo: "A" } as const;
    const settings = { recordExpiryDays: 90, now: () => 0 };
    const notice = openNotice({ subject, kind: "unresolved" }, settings);
    expect(await saveWithNotices(database, tables, [], [notice])).toBe(true);
    expect(await load(notice)).toBeUndefined();
  });

  test("that another version wrote cannot be read, and no retry fixes it", () => {
    const newer = { ...recordItem(record), outcome: "of-a-newer-version" };
    expect(() => recordIn(newer)).toThrow(
      expect.objectContaining({
        code: "record-unreadable",
        retryable: false,
        cause: expect.any(Error),
      }),
    );
  });
});
