import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import { expect, test } from "vitest";
import { GatewayError } from "../../../../shared/gateway/gateway-error.ts";
import { createLog } from "../../../../shared/telemetry/log-line.ts";
import { backgroundCheck } from "../../../../tools/operations/check/background-check.ts";
import type { CheckContext } from "../../../../tools/operations/check/finding.ts";
import { deployedLog } from "../../../../tools/operations/deployed-stack/deployed-log.ts";
import { localLog } from "../../../../tools/operations/local-stack/local-log.ts";
import type { FlowCounts } from "../../../../tools/operations/overview/flow-counts.ts";
import { readFailures } from "../../../../tools/operations/overview/read-failures.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";
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
  const stack = { kind: "local", name: "local" };
  const clock = { now: () => start + 30 * minute };
  return { stack, clock, log: localLog(functionLog) } as unknown as Target;
}

/** The same as a deployed stack, whose CloudWatch gives these lines page by page. */
function deployedWith(lines: readonly (readonly [minutes: number, line: object])[]): Target {
  const texts = lines.map(([at, line]) =>
    JSON.stringify({ ...line, timestamp: start + at * minute }),
  );
  const names = ["process-callback", "reconcile-orders", "count-attention"];
  const send = async ({ input }: { input: Record<string, unknown> }) => filteredLines(input, texts);
  const client = { send } as unknown as CloudWatchLogsClient;
  const functions = names.map((label) => ({
    label,
    name: label,
    environment: {},
    logGroup: `${label}-logs`,
  }));
  return {
    stack: { kind: "deployed", name: "Paycast" },
    clock: { now: () => start + 30 * minute },
    log: deployedLog(client, functions),
  } as unknown as Target;
}

const away = { stage: "table", reason: "table-unavailable", errorName: "ServiceUnavailable" };
const failed = (service: string, error: object = away) => ({
  service,
  outcome: "failed",
  ...error,
});
const verdictsOn = (target: Target) => backgroundCheck.run(target, {} as CheckContext);

test("functions that nobody waits for are named when they fail, with the cause and what to do", async () => {
  const code = { errorName: "PaycastError", stage: "keys", reason: "keys-unreachable" };
  const target = stackWith([
    ...[20, 22, 24].map((at) => [at, failed("process-callback")] as const),
    ...[25, 26, 27, 28].map((at) => [at, failed("reconcile-orders", code)] as const),
    ...[27, 28].map((at) => [at, failed("count-attention")] as const),
  ]);
  expect(await verdictsOn(target)).toEqual([
    {
      status: "problem",
      message:
        "process-callback failed 3 times in 15 minutes, the last time at 2026-11-16T08:24:00Z, because DynamoDB does not respond as expected (table-unavailable).",
      action:
        "Wait: callbacks stay in the inbox and are retried. Check DynamoDB in the AWS Health Dashboard. It is over when this line is ok.",
    },
    {
      status: "problem",
      message: expect.stringMatching(/^reconcile-orders failed 4 times .* \(keys-unreachable\)\.$/),
      action:
        "Wait: each run queries the orders that are due. Check Secrets Manager in the AWS Health Dashboard. The other lines of npx paycast check name what was changed or is missing. It is over when this line is ok.",
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
    { errorName: "AccessDeniedException", stage: "table", reason: "table-denied" },
    /because AWS denies access to a table, or the table is gone \(table-denied\)\.$/,
    /^A role, a table, a queue or a secret was changed outside the stack: undo the change\. The other lines of npx paycast check name what is missing, npx cdk drift what was changed, and the log the call: process-callback in the log group process-callback-logs\. /,
  ],
  ["count-attention", { stage: "table", reason: "table-missing" }, /is gone/, /undo the change/],
  [
    "process-callback",
    { stage: "inbox", reason: "dead-letters-unavailable", errorName: "QueueDoesNotExist" },
    /because SQS .* \(dead-letters-unavailable\)\.$/,
    /name what was changed or is missing/,
  ],
  [
    "process-callback",
    { stage: "inbox", reason: "inbox-message-newer" },
    /because a newer version of Paycast wrote what this one cannot read \(inbox-message-newer\)\.$/,
    /^Wait if a deployment is running\. After a rollback, deploy the newer version again\. /,
  ],
  [
    "reconcile-orders",
    { stage: "function", reason: "out-of-time" },
    /no time was left for the payment service \(out-of-time\)\.$/,
    /^Wait: .* Check Secrets Manager and DynamoDB/,
  ],
  [
    "reconcile-orders",
    { stage: "service", reason: "gateway-unreadable" },
    /responses are not as its interface says \(gateway-unreadable\)\.$/,
    /^Contact the payment service about the orders that the log names: reconcile-orders in the log group /,
  ],
  [
    "count-attention",
    { errorName: "TypeError", stage: "function", reason: "unexpected-error" },
    /^count-attention failed 3 times .*, because of an unexpected error \(TypeError\)\.$/,
    /^Read its errors: count-attention in the log group count-attention-logs\. After a deployment, go back to the previous version\. /,
  ],
  [
    "reconcile-orders",
    { stage: "keys", reason: "keys-invalid" },
    /because a merchant's keys are missing or not valid/,
    /^Set the keys, or restore the previous ones: npx paycast keys check --stack Paycast\. /,
  ],
  [
    "reconcile-orders",
    { stage: "inbox", reason: "inbox-unavailable" },
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
  const target = stackWith(
    threeOf("count-attention", {
      errorName: "TypeError",
      stage: "function",
      reason: "unexpected-error",
    }),
  );
  const [verdict] = await verdictsOn(target);
  expect(verdict?.action).toContain(
    `count-attention in the ${target.log.placeOf("count-attention")}`,
  );
});

const published = { service: "process-callback", outcome: "published" };
const many = (count: number, at: number) =>
  Array.from({ length: count }, () => [at, published] as const);

test("failures are found behind many lines that are newer", async () => {
  const lines = [...threeOf("process-callback", away), ...many(500, 29)];
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
    deployedWith([...many(2_000, 20), ...threeOf("process-callback", away)]),
  );
  expect(verdict?.message).toMatch(/^process-callback failed at least 3 times in 15 minutes/);
});

test("runs of reconcile-orders that end by failures are failures", async () => {
  const lines: string[] = [];
  const runs: ReturnType<typeof simulateRuns> = simulateRuns(
    dueOrders(60, "O", minute),
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
  const problem = (stage: string, reason: string) => ({
    service: "create-order",
    outcome: "problem",
    httpStatus: 503,
    stage,
    reason,
  });
  const target = stackWith([
    ...[1, 2, 3, 4].map((at) => [at, problem("service", "gateway-timed-out")] as const),
    [20, problem("table", "table-unavailable")],
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
  expect(orders?.causes).toEqual([{ name: "dynamodb", reason: "table-unavailable", count: 1 }]);
});
