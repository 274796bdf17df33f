import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { localLog } from "../../../../tools/operations/local-stack/local-log.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import { readRefused } from "../../../../tools/operations/refusals/read-refused.ts";
import { temporaryFolder } from "../../../setup/temporary-folder.ts";

const now = Date.UTC(2026, 10, 17, 9, 0);
const secondsAgo = (seconds: number) => now - seconds * 1_000;

const lineOf = (timestamp: number, fields: object) =>
  JSON.stringify({
    service: "receive-callback",
    merchantId: "shop-1",
    durationMilliseconds: 7,
    timestamp,
    ...fields,
  });
const refused = (seconds: number, claimedCallbackId: string = randomUUID()) =>
  lineOf(secondsAgo(seconds), {
    outcome: "not-authentic",
    httpStatus: 401,
    reason: "wrong-signature",
    claimedCallbackId,
  });
const accepted = (seconds: number, callbackId: string, merchantId = "shop-1") =>
  lineOf(secondsAgo(seconds), { outcome: "accepted", httpStatus: 200, callbackId, merchantId });

const read = async (...lines: string[]) => {
  const functionLog = join(temporaryFolder("read-refused"), "functions.log");
  writeFileSync(functionLog, `${lines.join("\n")}\n`);
  return await readRefused(
    { log: localLog(functionLog), clock: { now: () => now } } as Target,
    "shop-1",
  );
};

test("all that was refused in six hours is read, and says so", async () => {
  const log = await read(refused(6 * 3_600 + 1), refused(6 * 3_600 - 1), refused(1));
  expect(log?.refused.map(({ timestamp }) => timestamp)).toEqual([
    secondsAgo(1),
    secondsAgo(6 * 3_600 - 1),
  ]);
  expect(log?.readBackTo).toBe(0);
});

test("of a flood only the newest are read, and it says how far back", async () => {
  const flood = Array.from({ length: 600 }, (_item, number) => refused(600 - number));
  const log = await read(...flood);
  expect(log?.refused).toHaveLength(500);
  expect(log?.readBackTo).toBe(secondsAgo(500));
});

test("a callback that came again was accepted, if the log has that attempt of this merchant", async () => {
  const [mended, lost, foreign] = [randomUUID(), randomUUID(), randomUUID()];
  const twice = [mended, lost, foreign].flatMap((id) => [refused(700, id), refused(640, id)]);
  const log = await read(...twice, accepted(40, mended), accepted(40, foreign, "shop-2"));
  expect(log?.acceptedIds).toEqual(new Set([mended]));
});
