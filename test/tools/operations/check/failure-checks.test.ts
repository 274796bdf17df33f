import { expect, test } from "vitest";
import { noGateway } from "../../../../tools/operations/aws/unavailable.ts";
import {
  intakeVerdicts,
  storefrontCheck,
  storefrontVerdicts,
} from "../../../../tools/operations/check/failure-checks.ts";
import type { Failures } from "../../../../tools/operations/overview/failure-words.ts";
import type { FlowCounts } from "../../../../tools/operations/overview/flow-counts.ts";
import type { Counted } from "../../../../tools/operations/ports/metrics.ts";
import type { Stack } from "../../../../tools/operations/ports/stack.ts";

const since = Date.parse("2026-11-16T02:00:00Z");
const timeAt = (minute: number) => new Date(since + minute * 60_000).toISOString();
const counted = (total: number): Counted => ({ total, perStep: [], stepMinutes: 1, since });

/** What was counted at 02:52. */
function found(totals: Readonly<Record<string, number>>, failures: Failures) {
  const names = ["accepted", "notStored", "ordersCreated", "ordersRefused", "ordersFailed"];
  const counts = Object.fromEntries(
    [...names, "ordersUnknown", "questions"].map((name) => [name, counted(totals[name] ?? 0)]),
  ) as unknown as FlowCounts;
  const now = since + 52 * 60_000;
  return { counts, failures: [failures], lastRefusal: undefined, now, stack: "" };
}

const orders: Failures = {
  kind: "orders",
  failed: 2,
  last: timeAt(40),
  noneSince: { at: timeAt(26), failed: 2, lastSuccess: timeAt(20) },
  causes: [],
};

test("a stack that only receives has no storefront to check", () => {
  expect(storefrontCheck({ stack: { gateway: noGateway } as Stack })).toEqual([]);
});

test("while no order has been created since the failures, it stays a problem without a request", () => {
  const [verdict] = storefrontVerdicts(found({ ordersCreated: 1, ordersFailed: 2 }, orders));
  expect(verdict).toMatchObject({
    status: "problem",
    message: expect.stringMatching(/^No order was created since 2026-11-16T02:26Z;/),
  });
});

test("failures that a success has followed are past after ten minutes", () => {
  const over = { ...orders, noneSince: undefined };
  const [verdict] = storefrontVerdicts(found({ ordersCreated: 1, ordersFailed: 2 }, over));
  expect(verdict).toMatchObject({ status: "ok", message: expect.stringMatching(/^Earlier: 2 of/) });
});

test.each(["sqs", "secrets-manager", "dynamodb"] as const)(
  "if %s is down, the advice leads to the failed requests, and not to the check itself",
  (name) => {
    const failures = { ...orders, causes: [{ name, reason: "TimeoutError", count: 2 }] };
    const [verdict] = storefrontVerdicts(found({ ordersFailed: 2 }, failures));
    expect(verdict).toMatchObject({
      action: expect.stringMatching(/^Wait: .+ See: npx paycast requests .*--answer failed\. /),
    });
  },
);

test.each([
  [24, "24 failed with 503"],
  [0, "none failed with 503"],
])("of 76 callbacks accepted and %i not stored, it says %s", (notStored, text) => {
  const last = timeAt(50);
  const failures = { kind: "callbacks", failed: notStored, last, noneSince: undefined } as const;
  const few = found({ accepted: 76, notStored }, { ...failures, causes: [] });
  const none = { ...few, failures: [] };
  expect(intakeVerdicts(notStored === 0 ? none : few)).toEqual([
    { status: "ok", message: `in the last hour 76 callbacks accepted, ${text}` },
  ]);
});
