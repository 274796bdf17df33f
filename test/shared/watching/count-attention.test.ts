import { expect, test } from "vitest";
import type { LogFields, Metrics } from "../../../shared/telemetry/log-line.ts";
import { countAttention } from "../../../shared/watching/count-attention.ts";

const now = Date.UTC(2026, 10, 15, 12);

async function counted(count: (kind: string, until: string) => Promise<number>) {
  const lines: { fields: LogFields; metrics: Metrics | undefined }[] = [];
  await countAttention({
    count,
    now: () => now,
    log: (fields, metrics) => void lines.push({ fields, metrics }),
  });
  return lines;
}

test("everything that needs a person is one number, also if it is zero", async () => {
  const counts: Record<string, number> = { waiting: 2, undeliverable: 3, quarantined: 4 };
  const [line] = await counted(async (kind) => counts[kind] ?? 0);
  expect(line?.metrics).toEqual({
    NeedAttention: 9,
    WaitingNow: 2,
    UndeliverableNow: 3,
    QuarantinedNow: 4,
  });
  const [quiet] = await counted(async () => 0);
  expect(quiet?.metrics).toMatchObject({ NeedAttention: 0 });
});

test("what waits counts after a quarter of an hour, all else at once", async () => {
  const asked: Record<string, string> = {};
  await counted(async (kind, until) => {
    asked[kind] = until;
    return 0;
  });
  expect(asked).toEqual({
    waiting: "2026-11-15T11:45:00.000Z",
    undeliverable: "2026-11-15T12:00:00.000Z",
    quarantined: "2026-11-15T12:00:00.000Z",
  });
});

test("a count that fails writes no number, so that the alarm keeps its state", async () => {
  const lines = await counted(() => Promise.reject(new Error("no table")));
  expect(lines).toMatchObject([{ fields: { outcome: "failed", errorName: "Error" } }]);
  expect(lines[0]?.metrics).toBeUndefined();
});
