import { appendFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Target } from "../../../../tools/operations/target/target.ts";
import { readLocalLines } from "../../../../tools/operations/telemetry/request-lines.ts";
import { temporaryFolder } from "../../../setup/temporary-folder.ts";

const timestamp = Date.parse("2026-11-15T10:00:00Z");

const lineOf = (callbackId: string) =>
  `${JSON.stringify({
    service: "receive-callback",
    outcome: "accepted",
    httpStatus: 200,
    durationMilliseconds: 7,
    timestamp,
    callbackId,
  })}\n`;

const idsIn = async (target: Target) =>
  (await readLocalLines(target)).map((line) => "callbackId" in line && line.callbackId);

test("two requests of one millisecond are two, and a line that is read twice is one", async () => {
  const functionLog = join(temporaryFolder("request-lines"), "functions.log");
  const target = { functionLog } as Target;
  writeFileSync(functionLog, lineOf("A") + lineOf("B"));
  expect(await idsIn(target)).toEqual(["A", "B"]);
  renameSync(functionLog, `${functionLog}.1`);
  writeFileSync(functionLog, lineOf("C"));
  expect(await idsIn(target)).toEqual(["A", "B", "C"]);
});

test("a line that is still being written is read when it is whole", async () => {
  const functionLog = join(temporaryFolder("request-lines"), "functions.log");
  const target = { functionLog } as Target;
  const line = lineOf("Ü");
  const bytes = Buffer.from(line);
  const middle = bytes.indexOf("Ü") + 1;
  writeFileSync(functionLog, bytes.subarray(0, middle));
  expect(await idsIn(target)).toEqual([]);
  appendFileSync(functionLog, bytes.subarray(middle));
  expect(await idsIn(target)).toEqual(["Ü"]);
});
