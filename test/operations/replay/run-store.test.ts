import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createRun, listRuns, type Run } from "../../../operations/replay/run.ts";

const directory = mkdtempSync(join(tmpdir(), "paycast-runs-"));
afterAll(() => rmSync(directory, { recursive: true }));

const started = async (startedAt: string, run: string) => {
  const made: Run = {
    ...{ run, startedAt, subscriber: "fulfilment", queueUrl: "http://127.0.0.1/fulfilment" },
    target: { kind: "local", name: "local", region: "eu-central-1" },
    selection: { withRefunds: true, types: [], until: startedAt },
    ...{ eventsPerSecond: 50, events: 0, position: 0 },
    counts: { sent: 0, pending: 0, gone: 0, unwanted: 0 },
  };
  await createRun(directory, made, []);
};

test("runs are listed the latest first, those of one second, too", async () => {
  await started("2026-11-15T10:10:25.999Z", "20261115-101025-ffffff");
  await started("2026-11-15T10:10:26.100Z", "20261115-101026-eeeeee");
  await started("2026-11-15T10:10:26.900Z", "20261115-101026-000001");
  await started("2026-11-15T10:10:26.500Z", "20261115-101026-aaaaaa");
  const listed = await listRuns(directory);
  expect(listed.map(({ run }) => run)).toEqual([
    "20261115-101026-000001",
    "20261115-101026-aaaaaa",
    "20261115-101026-eeeeee",
    "20261115-101025-ffffff",
  ]);
});
