import { appendFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { localLog } from "../../../../tools/operations/local-stack/local-log.ts";
import type { Log } from "../../../../tools/operations/ports/log.ts";
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

const idsIn = async ({ searchReceived }: Log) => {
  const range = { from: "", until: "" };
  const { lines } = await searchReceived({ terms: [], isWanted: () => true, ...range });
  return lines.map(({ callbackId }) => callbackId);
};

test("two requests of one millisecond are two, and a line that is read twice is one", async () => {
  const functionLog = join(temporaryFolder("request-lines"), "functions.log");
  const log = localLog(functionLog);
  writeFileSync(functionLog, lineOf("A") + lineOf("B"));
  expect(await idsIn(log)).toEqual(["A", "B"]);
  renameSync(functionLog, `${functionLog}.1`);
  writeFileSync(functionLog, lineOf("C"));
  expect(await idsIn(log)).toEqual(["A", "B", "C"]);
});

test("a line that is still being written is read when it is whole", async () => {
  const functionLog = join(temporaryFolder("request-lines"), "functions.log");
  const log = localLog(functionLog);
  const line = lineOf("Ü");
  const bytes = Buffer.from(line);
  const middle = bytes.indexOf("Ü") + 1;
  writeFileSync(functionLog, bytes.subarray(0, middle));
  expect(await idsIn(log)).toEqual([]);
  appendFileSync(functionLog, bytes.subarray(middle));
  expect(await idsIn(log)).toEqual(["Ü"]);
});
