import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { smokeName } from "../../../../shared/smoke-merchant.ts";
import type { Look } from "../../../../tools/operations/described/description.ts";
import { localLog } from "../../../../tools/operations/local-stack/local-log.ts";
import { readRequestLine } from "../../../../tools/operations/ports/request-line.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import { answerOf } from "../../../../tools/operations/requests/answers.ts";
import { requests } from "../../../../tools/operations/requests/requests.ts";

const answerTo = (fields: object) =>
  answerOf(
    readRequestLine(
      JSON.stringify({
        service: "receive-callback",
        outcome: "not-authentic",
        httpStatus: 401,
        timestamp: 1,
        durationMilliseconds: 1,
        ...fields,
      }),
    )!,
  );

test("check's empty request and a refused smoke test are not in the list of refused callbacks", () => {
  expect(answerTo({ reason: "wrong-signature", merchantId: "shop-1" })).toBe("refused");
  expect(answerTo({ reason: "wrong-signature", merchantId: smokeName })).toBe("wrong-request");
  const empty = { outcome: "not-an-envelope", httpStatus: 400, reason: "empty-body" };
  expect(answerTo(empty)).toBe("wrong-request");
});

test("an error that nobody expected is listed by its name, with what it means", async () => {
  const now = Date.parse("2026-11-15T10:00:00Z");
  const functionLog = join(mkdtempSync(join(tmpdir(), "paycast-tests-")), "functions.log");
  const failed = { service: "create-order", outcome: "problem", httpStatus: 503, timestamp: now };
  const crash = { stage: "function", reason: "unexpected-error", errorName: "TypeError" };
  writeFileSync(functionLog, `${JSON.stringify({ ...failed, ...crash })}\n`);
  const target = {
    stack: { kind: "local" },
    clock: { now: () => now + 1 },
    log: localLog(functionLog),
  };
  const work = { stopped: new AbortController().signal, tell: () => undefined };
  const list = requests.operations[0] as Look;
  const report = await list.look(target as unknown as Target, {}, work);
  expect(report.table?.rows).toMatchObject([expect.arrayContaining(["503 failed", "TypeError"])]);
  expect(report.below).toEqual(["TypeError: Paycast's own code failed."]);
});
