import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GatewayError } from "../../../../shared/gateway/gateway-error.ts";
import { createLog } from "../../../../shared/telemetry/log-line.ts";
import { backgroundCheck } from "../../../../tools/operations/check/background-check.ts";
import type { CheckContext } from "../../../../tools/operations/check/finding.ts";
import type { FlowCounts } from "../../../../tools/operations/overview/flow-counts.ts";
import { readFailures } from "../../../../tools/operations/overview/read-failures.ts";
import type { Target } from "../../../../tools/operations/target/target.ts";
import {
  dueOrders,
  hour,
  start as runsStart,
  simulateRuns,
} from "../../../shared/reconciling/simulated-runs.ts";
import { filteredLines } from "../control-plane/cloudwatch.ts";

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

/** The same as a deployed stack, whose CloudWatch gives these lines page by page. */
function deployedWith(lines: readonly (readonly [minutes: number, line: object])[]): Target {
  const texts = lines.map(([at, line]) =>
    JSON.stringify({ ...line, timestamp: start + at * minute }),
  );
  const names = ["process-callback", "reconcile-orders", "count-attention"];
  const send = async ({ input }: { input: Record<string, unknown> }) => filteredLines(input, texts);
  return {
    kind: "deployed",
    name: "Paycast",
    now: () => start + 30 * minute,
    functions: names.map((label) => ({ label, name: label, logGroup: `${label}-logs` })),
    clients: { cloudWatchLogs: { send } },
  } as unknown as Target;
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
        "process-callback failed 3 times in 15 minutes, the last time at 2026-11-16T08:24:00Z, because DynamoDB does not respond as expected (ServiceUnavailable).",
      action:
        "Wait: callbacks stay in the inbox and are retried. Check DynamoDB in the AWS Health Dashboard. It is over when this line is ok.",
    },
    {
      status: "problem",
      message: expect.stringMatching(/^reconcile-orders failed 4 times .* \(keys-unreachable\)\.$/),
      action:
        "Wait: each run queries the orders that are due. Check Secrets Manager in the AWS Health Dashboard. It is over when this line is ok.",
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

const threeOf = (service: string, error: object) =>
  [20, 22, 24].map((at) => [at, failed(service, error)] as const);

test.each<[service: string, error: object, message: RegExp, action: RegExp]>([
  [
    "process-callback",
    { errorName: "AccessDeniedException" },
    /because AWS denies it access, or something that it uses is gone \(AccessDeniedException\)\.$/,
    /^A role, a table, a queue or a secret was changed outside the stack: undo the change\. The other lines of npx paycast check name it if they can, and the log names the call: process-callback in the log group process-callback-logs\. /,
  ],
  ["count-attention", { errorName: "ResourceNotFoundException" }, /is gone/, /undo the change/],
  ["process-callback", { errorName: "QueueDoesNotExist" }, /is gone/, /undo the change/],
  [
    "reconcile-orders",
    { errorName: "AccessDeniedException", errorCode: "keys-unreachable" },
    /AWS denies it access.* \(keys-unreachable, AccessDeniedException\)\.$/,
    /undo the change/,
  ],
  [
    "count-attention",
    { errorName: "TypeError" },
    /^count-attention failed 3 times .*, because of an unexpected error \(TypeError\)\.$/,
    /^Read its errors: count-attention in the log group count-attention-logs\. After a deployment, go back to the previous version\. /,
  ],
  [
    "reconcile-orders",
    { errorName: "PaycastError", errorCode: "keys-invalid" },
    /because a merchant's keys are missing or not valid/,
    /^Set the keys, or restore the previous ones: npx paycast keys check --stack Paycast\. /,
  ],
  [
    "reconcile-orders",
    { errorName: "TimeoutError", errorCode: "inbox-unavailable" },
    /because SQS does not accept messages for the inbox/,
    /^Wait: each run queries the orders that are due\. Check SQS /,
  ],
])("%s with %o says what to do about background work", async (service, error, message, action) => {
  const [verdict] = await verdictsOn(deployedWith(threeOf(service, error)));
  expect(verdict).toMatchObject({ status: "problem" });
  expect(verdict?.message).toMatch(message);
  expect(verdict?.action).toMatch(action);
  expect(verdict?.action).not.toMatch(/requests|retries its callbacks/);
});

test("on the local stack the log is a file", async () => {
  const target = stackWith(threeOf("count-attention", { errorName: "TypeError" }));
  const [verdict] = await verdictsOn(target);
  expect(verdict?.action).toContain(`count-attention in the file ${target.functionLog}`);
});

const published = { service: "process-callback", outcome: "published" };
const many = (count: number, at: number) =>
  Array.from({ length: count }, () => [at, published] as const);

test("failures are found behind many lines that are newer", async () => {
  const lines = [...threeOf("process-callback", {}), ...many(500, 29)];
  const expected = [{ message: expect.stringMatching(/^process-callback failed 3 times/) }];
  expect(await verdictsOn(deployedWith(lines))).toMatchObject(expected);
  const long = many(5_000, 29).map(([at, line]) => [at, { ...line, filler: "long" }] as const);
  expect(await verdictsOn(stackWith([...lines, ...long]))).toMatchObject(expected);
});

test("a log that is too long to be read whole is not called good", async () => {
  expect(await verdictsOn(deployedWith(many(2_000, 29)))).toEqual([
    {
      status: "warning",
      message:
        "Not all of the last 15 minutes in the log of process-callback could be read: it may have failed.",
      action:
        "Check for failures yourself: process-callback in the log group process-callback-logs.",
    },
  ]);
  const [verdict] = await verdictsOn(
    deployedWith([...many(2_000, 20), ...threeOf("process-callback", {})]),
  );
  expect(verdict?.message).toMatch(/^process-callback failed at least 3 times in 15 minutes/);
});

test("runs of reconcile-orders that end by failures are failures", async () => {
  const lines: string[] = [];
  const runs: ReturnType<typeof simulateRuns> = simulateRuns(
    dueOrders(40, "O", minute),
    () => new GatewayError("timed-out"),
    {
      log: createLog({
        service: "reconcile-orders",
        namespace: "Paycast",
        now: () => runs.clock.now,
        write: (line) => lines.push(line),
      }),
    },
  );
  await runs.runEveryMinute(hour / 20);
  const logged = lines.map((line) => {
    const fields = JSON.parse(line);
    return [20 + (fields.timestamp - runsStart) / minute, fields] as const;
  });
  for (const target of [stackWith(logged), deployedWith(logged)]) {
    expect(await verdictsOn(target)).toMatchObject([
      {
        message: expect.stringMatching(
          /^reconcile-orders failed 3 times .*, because the payment service does not respond as expected \(gateway-timed-out\)\.$/,
        ),
        action: expect.stringMatching(/^Contact the payment service\. Each run /),
      },
    ]);
  }
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
    queries: none,
    askFailed: none,
    ordersRefused: none,
    ordersCreated: counted([10]),
    ordersFailed: counted([1, 2, 3, 4, 20]),
  } as unknown as FlowCounts;
  const [orders] = await readFailures(target, async () => () => none, counts);
  expect(orders?.causes).toEqual([{ name: "dynamodb", reason: "ServiceUnavailable", count: 1 }]);
});
