import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog } from "../../../../shared/telemetry/log-line.ts";
import { createFunctionLog } from "../../../../tools/local/function-log.ts";
import { countInLog } from "../../../../tools/operations/local-stack/count-metrics.ts";
import { followFile } from "../../../../tools/operations/local-stack/follow-file.ts";
import { ranges } from "../../../../tools/operations/ports/metrics.ts";

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "paycast-metrics-"));
  file = join(directory, "functions.log");
});
afterEach(() => rmSync(directory, { recursive: true }));

const startedAt = Date.parse("2026-11-15T10:00:30Z");
const accepted = { service: "receive-callback", name: "Accepted" };
const minute = { steps: 1, stepMinutes: 1 };
const refused = { service: "receive-callback", name: "NotAuthentic" };

/** A line as a function writes it, `minutes` after the start. */
function line(metrics: Record<string, number>, minutes = 0, service = "receive-callback"): string {
  let text = "";
  const now = () => startedAt + minutes * 60_000;
  const log = createLog({
    service,
    namespace: "Paycast",
    now,
    write: (candidate) => (text = candidate),
  });
  log({ outcome: "accepted", merchantId: "shop-1" }, metrics);
  return `${text}\n`;
}

async function linesOf(added: AsyncGenerator<string>): Promise<string[]> {
  const lines: string[] = [];
  for await (const candidate of added) lines.push(candidate);
  return lines;
}

test("the functions' own lines are counted per minute and service, each once, though a merchant is counted beside it", async () => {
  const read = countInLog(file, () => startedAt + 2 * 60_000);
  writeFileSync(file, line({ Accepted: 1 }) + line({ Accepted: 1, VerifiedByPrevious: 0 }, 1));
  appendFileSync(file, line({ NotAuthentic: 1 }, 2) + line({ Accepted: 7 }, 2, "another"));
  const count = await read([accepted, refused], { steps: 3, stepMinutes: 1 });
  expect(count(accepted)).toMatchObject({ total: 2, perStep: [1, 1, 0] });
  expect(count(refused)).toMatchObject({ total: 1, perStep: [0, 0, 1] });
  expect(count(accepted, refused)).toMatchObject({ total: 3, perStep: [1, 1, 1] });
});

test("a longer range counts in longer steps, which begin at whole multiples of their length", async () => {
  const read = countInLog(file, () => startedAt + 50 * 60_000);
  writeFileSync(
    file,
    line({ Accepted: 1 }) + line({ Accepted: 1 }, 14) + line({ Accepted: 4 }, 15),
  );
  const count = await read([accepted], { steps: 4, stepMinutes: 15 });
  expect(count(accepted)).toEqual({
    total: 6,
    perStep: [2, 4, 0, 0],
    stepMinutes: 15,
    since: Date.parse("2026-11-15T10:00:00Z"),
  });
});

test("a week is kept", async () => {
  const week = 7 * 24 * 60;
  const read = countInLog(file, () => startedAt + (week - 60) * 60_000);
  writeFileSync(file, line({ Accepted: 1 }));
  expect((await read([accepted], ranges["7d"]))(accepted).perStep[0]).toBe(1);
});

test("a later look counts only what was added, also when two look at the same time", async () => {
  const read = countInLog(file, () => startedAt);
  expect((await read([accepted], minute))(accepted).total).toBe(0);
  writeFileSync(file, line({ Accepted: 1 }));
  const counts = await Promise.all([read([accepted], minute), read([accepted], minute)]);
  expect(counts.map((count) => count(accepted).total)).toEqual([1, 1]);
  appendFileSync(file, line({ Accepted: 1 }));
  expect((await read([accepted], minute))(accepted).total).toBe(2);
});

test("minutes before the window are left out, and what is no log line is passed over", async () => {
  const read = countInLog(file, () => startedAt + 10 * 60_000);
  writeFileSync(file, `${line({ Accepted: 1 })}a crash\n{"half":\n[]\n${line({ Accepted: 1 }, 9)}`);
  expect((await read([accepted], { steps: 5, stepMinutes: 1 }))(accepted).total).toBe(1);
});

test("a log that was put aside is counted, once", async () => {
  writeFileSync(file, line({ Accepted: 1 }));
  renameSync(file, `${file}.1`);
  writeFileSync(file, line({ Accepted: 2 }));
  const read = countInLog(file, () => startedAt);
  expect((await read([accepted], minute))(accepted).total).toBe(3);
  renameSync(file, `${file}.1`);
  writeFileSync(file, line({ Accepted: 4 }));
  expect((await read([accepted], minute))(accepted).total).toBe(7);
});

test("a line that is half written is read when it is whole, also in the middle of a character", async () => {
  const added = followFile(file);
  const bytes = Buffer.from("größe\nnext\n");
  writeFileSync(file, bytes.subarray(0, 3));
  expect(await linesOf(added())).toEqual([]);
  appendFileSync(file, bytes.subarray(3));
  expect(await linesOf(added())).toEqual(["größe", "next"]);
});

test("a file that was put aside or emptied is read from its new start", async () => {
  const added = followFile(file);
  writeFileSync(file, "one\ntwo\n");
  expect(await linesOf(added())).toEqual(["one", "two"]);
  renameSync(file, `${file}.1`);
  writeFileSync(file, "three, in a longer file\n");
  expect(await linesOf(added())).toEqual(["three, in a longer file"]);
  writeFileSync(file, "4\n");
  expect(await linesOf(added())).toEqual(["4"]);
});

test("a line longer than the reader's chunk is read whole", async () => {
  const long = "x".repeat(3 * 1024 * 1024);
  writeFileSync(file, `${long}\nend\n`);
  const lines = await linesOf(followFile(file)());
  expect(lines.map(({ length }) => length)).toEqual([long.length, 3]);
});

test("the local log begins empty unless data is kept, and is put aside before it grows too large", async () => {
  const output = (text: string) => ({
    kind: "output" as const,
    functionName: "f",
    line: text,
  });
  writeFileSync(file, "old\n");
  const keep = createFunctionLog(file, true);
  keep(output("kept"));
  keep({ kind: "notice", message: "not a line of a function" });
  expect(await linesOf(followFile(file)())).toEqual(["old", "kept"]);
  const log = createFunctionLog(file, false);
  log(output("y".repeat(33 * 1024 * 1024)));
  log(output("after"));
  expect(await linesOf(followFile(file)())).toEqual(["after"]);
  expect(await linesOf(followFile(`${file}.1`)())).toHaveLength(1);
});
