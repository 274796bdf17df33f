import { describe, expect, test, vi } from "vitest";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { groupWithoutSubject } from "../../../shared/facts/subject.ts";
import { writeRedrive } from "../../../shared/inbox/inbox-body.ts";
import type { CheckingKeys, StampKey } from "../../../shared/keys/stamp-keys.ts";
import { readStampKey } from "../../../shared/keys/stamp-keys.ts";
import { type OpenMessage, openMessage } from "../../../shared/processing/open-message.ts";
import type { CallbackRecord } from "../../../shared/records/callback-record.ts";
import { callbackKeyOf } from "../../../shared/records/receipt.ts";
import { stampSettleMilliseconds } from "../../../shared/timing.ts";
import { stamped, testStampKey } from "../../builders/stamp.ts";

const sentAt = Date.UTC(2026, 10, 15);
const group = "g";
const newer: StampKey = {
  versionId: "v2",
  stage: "current",
  keys: readStampKey({ text: "another key of the tests, with enough characters" }),
};

interface Over extends Partial<CheckingKeys> {
  readonly record?: object | undefined;
}

async function opened(body: string, { record, ...over }: Over = {}, inGroup = group) {
  const deps: OpenMessage = {
    stampKeys: {
      versions: async () => [testStampKey],
      refresh: async () => {},
      knownAtMilliseconds: () => Number.NEGATIVE_INFINITY,
      ...over,
    },
    loadRecord: async () => record as CallbackRecord | undefined,
  };
  const queued = { messageId: "m", receiptHandle: "r", receiveCount: 1 };
  const message = { ...queued, body, group: inGroup, sentAtMilliseconds: sentAt };
  return await openMessage(message, deps);
}

test("a message with its stamp counts", async () => {
  expect(await opened(stamped(group, "text"))).toEqual({ kind: "genuine", text: "text" });
});

test("one with the stamp of the previous version counts, too", async () => {
  const versions = async () => [newer, { ...testStampKey, stage: "previous" as const }];
  expect(await opened(stamped(group, "text"), { versions })).toMatchObject({ kind: "genuine" });
});

test.each([
  ["stamp-missing", "a message without a stamp", '{"version":1,"origin":"callback"}'],
  ["stamp-missing", "text of a stranger", "hello"],
  [
    "stamp-wrong",
    "a stamp under another key that claims the version of ours",
    stamped(group, "text", { ...newer, versionId: testStampKey.versionId }),
  ],
  ["stamp-wrong", "the stamp of another group", stamped("other", "text")],
])("%s: %s", async (code, _name, body) => {
  expect(await opened(body)).toMatchObject({ kind: "rejected", why: { code, retryable: false } });
});

test("without a readable key a stamped message waits, whatever is wrong with the key", async () => {
  const versions = () => Promise.reject(new PaycastError("keys-invalid", "too short"));
  await expect(opened(stamped(group, "text"), { versions })).rejects.toMatchObject({
    code: "stamp-unchecked",
    retryable: true,
    cause: { code: "keys-invalid" },
  });
});

test("a message without a stamp is refused also while no key can be read", async () => {
  const versions = () => Promise.reject(new PaycastError("keys-unreachable", "down"));
  expect(await opened("hello", { versions })).toMatchObject({ kind: "rejected" });
});

describe("a body of a newer version", () => {
  const newerBody = (body: string) => JSON.stringify({ ...JSON.parse(body), version: 2 });

  test("waits for that version if its stamp is right", async () => {
    await expect(opened(newerBody(stamped(group, "text")))).rejects.toMatchObject({
      code: "inbox-message-newer",
      retryable: true,
    });
  });

  test("is refused if not, so that nobody else can make a group wait", async () => {
    const forged = newerBody(stamped("another group", "text"));
    expect(await opened(forged)).toMatchObject({ why: { code: "stamp-wrong" } });
    expect(await opened('{"version":2,"text":"x"}')).toMatchObject({
      why: { code: "stamp-missing" },
    });
  });
});

test("an unknown version is fetched, and its message waits", async () => {
  const refresh = vi.fn(async () => {});
  await expect(opened(stamped(group, "text", newer), { refresh })).rejects.toMatchObject({
    code: "stamp-unchecked",
    retryable: true,
  });
  expect(refresh).toHaveBeenCalledOnce();
});

test("it waits also if the lookup has found the version: the next try counts", async () => {
  let known: readonly StampKey[] = [testStampKey];
  const refresh = async () => {
    known = [newer, testStampKey];
  };
  const knownAtMilliseconds = () => sentAt + 10 * stampSettleMilliseconds;
  const over = { versions: async () => known, refresh, knownAtMilliseconds };
  const body = stamped(group, "text", newer);
  await expect(opened(body, over)).rejects.toMatchObject({ code: "stamp-unchecked" });
  expect(await opened(body, over)).toEqual({ kind: "genuine", text: "text" });
});

test.each([
  ["waits while no fetch since it was sent shows all versions", stampSettleMilliseconds - 1, false],
  ["is refused when a later fetch does not show it", stampSettleMilliseconds, true],
])("a version that does not exist %s", async (_name, after, isRefused) => {
  const over = { knownAtMilliseconds: () => sentAt + after };
  const end = opened(stamped(group, "text", newer), over);
  if (isRefused) expect(await end).toMatchObject({ why: { code: "stamp-wrong" } });
  else await expect(end).rejects.toMatchObject({ code: "stamp-unchecked" });
});

const named = writeRedrive({ callbackKey: "k", receipt: "first" });
const published = { outcome: "published", group, pending: [] } as const;
const queuedAs = {
  merchantId: "m",
  origin: "callback",
  deduplication: { key: "id#1", replayable: false },
} as const;

test("a redrive needs no key, and gives the record that the table has", async () => {
  const versions = () => Promise.reject(new Error("must not be called"));
  const end = await opened(named, { record: published, versions });
  expect(end).toEqual({ kind: "redrive", record: published });
});

test.each([
  ["record-gone", undefined],
  ["other-group", { ...published, group: "other" }],
  ["record-dismissed", { outcome: "quarantined", group, dismissedAt: "2026-11-15" } as const],
])("a redrive is ignored: %s", async (reason, record) => {
  expect(await opened(named, { record })).toEqual({ kind: "ignored", reason });
});

test("a redrive in the callback's first group counts after its record has the group of its order", async () => {
  const callbackKey = callbackKeyOf(queuedAs);
  const firstGroup = groupWithoutSubject(queuedAs.merchantId, queuedAs.deduplication.key);
  const record = { ...published, callbackKey, group: "the order's" };
  expect(await opened(named, { record }, firstGroup)).toMatchObject({ kind: "redrive" });
  const another = groupWithoutSubject(queuedAs.merchantId, "another");
  expect(await opened(named, { record }, another)).toMatchObject({ reason: "other-group" });
});

test("what is still in quarantine is redriven", async () => {
  const record = { outcome: "quarantined", group, attention: { kind: "quarantined" } } as const;
  expect(await opened(named, { record })).toMatchObject({ kind: "redrive" });
});
