import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lostBefore, lostEvents } from "../../../../tools/operations/check/lost-events.ts";
import type { Target, TargetSubscriber } from "../../../../tools/operations/target/target.ts";

const minute = 60_000;
const emptyAt = Date.parse("2026-11-15T10:00:00Z");
const timeAt = (minutes: number) => new Date(emptyAt + minutes * minute).toISOString();
const books = { name: "books", queueUrl: "http://127.0.0.1/000/books" } as TargetSubscriber;

/** A queue that was empty at 10:00 and had three events at 10:30. */
function targetWith(...acts: readonly object[]): Target {
  const directory = mkdtempSync(join(tmpdir(), "paycast-tests-"));
  const queueMetricsFile = join(directory, "queue-metrics.json");
  const auditLog = join(directory, "audit.log");
  const visible = [
    [emptyAt, 0],
    [emptyAt + 30 * minute, 3],
  ];
  writeFileSync(queueMetricsFile, JSON.stringify({ books: { visible } }));
  writeFileSync(auditLog, acts.map((act) => `${JSON.stringify(act)}\n`).join(""));
  const now = () => emptyAt + 60 * minute;
  return { kind: "local", queueMetricsFile, auditLog, now } as Target;
}

const actionOf = async (target: Target) => (await lostEvents(target, books))[0]?.action;

test("events of a deleted queue are replayed from the time when it was empty", async () => {
  expect(await actionOf(targetWith())).toMatch(
    /replay --to books --since '2026-11-15T09:\S+' --yes$/,
  );
});

test.each([
  ["a replay", { act: "replay", subscriber: "books" }],
  ["a redrive of its dead letters", { act: "dead-letters-redrive", queue: "books" }],
  ["a redrive of attention", { act: "attention-redrive" }],
])("after %s to it, older events may be lost, so all are replayed", async (_name, act) => {
  const target = targetWith({ ...act, at: timeAt(10) });
  const [lost] = await lostEvents(target, books);
  expect(lost?.message).toContain("sent to it again at 2026-11-15T10:10:00Z");
  expect(lost?.action).toMatch(/replay --to books --all --yes$/);
});

test.each([
  ["another subscriber's replay", { act: "replay", subscriber: "stock", at: timeAt(10) }],
  ["an act that sends no event", { act: "keys-set", at: timeAt(10) }],
  ["a replay after the loss", { act: "replay", subscriber: "books", at: timeAt(40) }],
  ["a replay of the day before", { act: "replay", subscriber: "books", at: timeAt(-1_440) }],
])("%s makes none of them older", async (_name, act) => {
  expect(await actionOf(targetWith(act))).toContain("--since ");
});

test("the loss is over when a replay of everything that was lost has ended", async () => {
  const createdAt = emptyAt + 40 * minute;
  const replay = { act: "replay", subscriber: "books", run: "R1", at: timeAt(45) };
  const ended = { act: "replay-ended", subscriber: "books", run: "R1", at: timeAt(50) };
  expect(await lostBefore(targetWith(replay), books, createdAt)).toHaveLength(1);
  expect(await lostBefore(targetWith(replay, ended), books, createdAt)).toEqual([]);
  const ofOrder = { ...replay, orderNo: "ORDER-1" };
  expect(await lostBefore(targetWith(ofOrder, ended), books, createdAt)).toHaveLength(1);
});
