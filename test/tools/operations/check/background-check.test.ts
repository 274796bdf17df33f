import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { backgroundCheck } from "../../../../tools/operations/check/background-check.ts";
import type { CheckContext } from "../../../../tools/operations/check/finding.ts";
import type { FlowCounts } from "../../../../tools/operations/overview/flow-counts.ts";
import { readFailures } from "../../../../tools/operations/overview/read-failures.ts";
import type { Target } from "../../../../tools/operations/target/target.ts";

const start = Date.parse("2026-11-16T08:00:00Z");
const minute = 60_000;

/** A local stack at 08:30 whose functions have logged these lines, by minutes after eight. */
function stackWith(lines: readonly (readonly [minutes: number, line: object])[]): Target {
  const functionLog = join(mkdtempSync(join(tmpdir(), "paycast-tests-")), "functions.log");
  const texts = lines.map(([at, line]) =>
    JSON.stringify({ ...line, timestamp: start + at * minute }),
  );
  writeFileSync(functionLog, `cut off"}\n${texts.join("\n")}\n`);
  return { kind: "local", functionLog, now: () => start + 30 * minute } as unknown as Target;
}

const failed = (service: string, error: object = { errorName: "ServiceUnavailable" }) => ({
  service,
  outcome: "failed",
  ...error,
});
const verdictsOn = (target: Target) => backgroundCheck.run(target, {} as CheckContext);

test("functions that nobody waits for are named when they fail, with the cause and what to do", async () => {
  const code = { errorName: "PaycastError", errorCode: "keys-unreachable" };
  const target = stackWith([
    ...[20, 22, 24].map((at) => [at, failed("process-callback")] as const),
    ...[25, 26, 27, 28].map((at) => [at, failed("reconcile-orders", code)] as const),
    ...[27, 28].map((at) => [at, failed("count-attention")] as const),
  ]);
  expect(await verdictsOn(target)).toEqual([
    {
      status: "problem",
      message:
        "process-callback failed 3 times in 15 minutes, the last time at 2026-11-16T08:24:00Z, because DynamoDB does not answer as it should (ServiceUnavailable).",
      action: expect.stringMatching(/^Wait: callbacks are accepted and wait in the inbox\./),
    },
    {
      status: "problem",
      message: expect.stringMatching(/^reconcile-orders failed 4 times .* \(keys-unreachable\)\.$/),
      action: expect.stringContaining("Look at Secrets Manager"),
    },
  ]);
});

test("what failed more than 15 minutes ago, or worked, is no problem", async () => {
  const target = stackWith([
    ...[10, 12, 14].map((at) => [at, failed("process-callback")] as const),
    ...[20, 22, 24].map((at) => [at, { service: "count-attention", outcome: "counted" }] as const),
  ]);
  expect(await verdictsOn(target)).toMatchObject([{ status: "ok" }]);
});

test("why orders fail now is not what made others fail before the last success", async () => {
  const problem = (errorName: string, errorCode?: string) => ({
    service: "create-order",
    outcome: "problem",
    httpStatus: 503,
    errorName,
    errorCode,
  });
  const target = stackWith([
    ...[1, 2, 3, 4].map((at) => [at, problem("Error", "gateway-timed-out")] as const),
    [20, problem("ServiceUnavailable")],
  ]);
  const counted = (minutes: readonly number[]) => ({
    total: minutes.length,
    perStep: Array.from({ length: 60 }, (_item, at) => (minutes.includes(at) ? 1 : 0)),
    stepMinutes: 1,
    since: start,
  });
  const none = counted([]);
  const counts = {
    accepted: none,
    notStored: none,
    questions: none,
    askFailed: none,
    ordersRefused: none,
    ordersCreated: counted([10]),
    ordersFailed: counted([1, 2, 3, 4, 20]),
  } as unknown as FlowCounts;
  const [orders] = await readFailures(target, async () => () => none, counts);
  expect(orders?.causes).toEqual([{ name: "dynamodb", reason: "ServiceUnavailable", count: 1 }]);
});
