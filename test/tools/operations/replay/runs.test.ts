import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRun, listRuns, type Run } from "../../../../tools/operations/replay/run.ts";
import { withRunLock } from "../../../../tools/operations/replay/run-lock.ts";
import { inOneFile } from "../../../setup/one-file.ts";

const directory = mkdtempSync(join(tmpdir(), "paycast-locks-"));
const source = fileURLToPath(new URL("./lock-worker.ts", import.meta.url));
const deadProcess = "999999999";
let workers: ChildProcess[];

const toldBy = async (worker: ChildProcess): Promise<unknown> => (await once(worker, "message"))[0];
const pathOf = (lock: string) => join(directory, `${lock}.lock`);

beforeAll(async () => {
  const program = await inOneFile(source);
  workers = Array.from({ length: 4 }, () => fork(program, [directory]));
  await Promise.all(workers.map(toldBy));
});

afterAll(() => {
  for (const worker of workers) worker.kill();
  rmSync(directory, { recursive: true, force: true });
});

/** All workers try at the same time. Gives what each said, and ends the ones that got the lock. */
async function race(lock: string) {
  const said = Promise.all(workers.map(toldBy));
  for (const worker of workers) worker.send({ lock });
  const answers = await said;
  const holders = workers.filter((_item, index) => answers[index] === "entered");
  const left = Promise.all(holders.map(toldBy));
  for (const holder of holders) holder.send({});
  await left;
  return answers;
}

test.each([
  ["a lock that a killed process left", deadProcess],
  ["no lock", undefined],
])("of several processes exactly one gets the run, over %s", async (_case, left) => {
  const refusals = workers.slice(1).map(() => "replay-not-resumable");
  for (let round = 0; round < 100; round += 1) {
    const lock = `${left ?? "none"}-${round}`;
    if (left !== undefined) writeFileSync(pathOf(lock), left);
    expect((await race(lock)).sort()).toEqual(["entered", ...refusals].sort());
  }
  expect(readdirSync(directory)).toEqual([]);
});

test.each(["", "not a process", "0", "-1"])(
  "a lock that holds %j is not taken for dead",
  async (content) => {
    const path = pathOf("odd");
    writeFileSync(path, content);
    const sending = withRunLock(directory, "odd", async () => "sent");
    await expect(sending).rejects.toMatchObject({
      code: "replay-not-resumable",
      message: expect.stringContaining(path),
    });
    expect(readFileSync(path, "utf8")).toBe(content);
    rmSync(path);
  },
);

const started = async (startedAt: string, run: string) => {
  const made: Run = {
    run,
    startedAt,
    subscriber: "fulfilment",
    queueUrl: "http://127.0.0.1/fulfilment",
    target: { kind: "local", name: "local", region: "eu-central-1" },
    selection: { withRefunds: true, types: [], until: startedAt },
    eventsPerSecond: 50,
    events: 0,
    position: 0,
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
