import { expect, test } from "vitest";
import type { LogFields, Metrics } from "../../../shared/telemetry/log-line.ts";
import {
  type AttentionEntry,
  type CountAttention,
  countAttention,
} from "../../../shared/watching/count-attention.ts";

const now = Date.UTC(2026, 10, 15, 12);
const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString();

async function counted(read: CountAttention["read"]) {
  const lines: { fields: LogFields; metrics: Metrics | undefined }[] = [];
  await countAttention({
    read,
    now: () => now,
    log: (fields, metrics) => void lines.push({ fields, metrics }),
  });
  return lines;
}

const entry = (kind: AttentionEntry["kind"], minutes: number) => ({ kind, since: ago(minutes) });

test("everything that needs a person is one number, also if it is zero", async () => {
  const parts: Record<string, AttentionEntry[]> = {
    waiting: [entry("waiting", 20), entry("waiting", 16)],
    undeliverable: [entry("undeliverable", 60)],
    quarantined: [entry("quarantined", 60)],
    notice: [entry("mismatch", 60), entry("unresolved", 60), entry(undefined, 60)],
  };
  const [line] = await counted(async (part) => parts[part] ?? []);
  expect(line?.metrics).toEqual({ NeedAttention: 7, NewAttention: 0 });
  const [quiet] = await counted(async () => []);
  expect(quiet?.metrics).toEqual({ NeedAttention: 0, NewAttention: 0 });
});

test("new is what began in the last quarter of an hour and should wake a person", async () => {
  const parts: Record<string, AttentionEntry[]> = {
    waiting: [entry("waiting", 15)],
    undeliverable: [entry("undeliverable", 15), entry("undeliverable", 16)],
    quarantined: [entry("quarantined", 0), entry("quarantined", 60)],
    notice: [
      entry("shortened-number", 14),
      entry("shortened-number", 16),
      entry("mismatch", 1),
      entry("duplicate-payment", 1),
      entry("unresolved", 1),
      entry(undefined, 1),
    ],
  };
  const [line] = await counted(async (part) => parts[part] ?? []);
  expect(line?.metrics).toEqual({ NeedAttention: 11, NewAttention: 3 });
});

test("what waits counts after a quarter of an hour, all else at once", async () => {
  const asked: Record<string, string> = {};
  await counted(async (part, until) => {
    asked[part] = until;
    return [];
  });
  expect(asked).toEqual({
    waiting: "2026-11-15T11:45:00.000Z",
    undeliverable: "2026-11-15T12:00:00.000Z",
    quarantined: "2026-11-15T12:00:00.000Z",
    notice: "2026-11-15T12:00:00.000Z",
  });
});

test("a count that fails writes no number, so that the alarm keeps its state", async () => {
  const lines = await counted(() => Promise.reject(new Error("no table")));
  expect(lines).toMatchObject([{ fields: { outcome: "failed", errorName: "Error" } }]);
  expect(lines[0]?.metrics).toBeUndefined();
});
