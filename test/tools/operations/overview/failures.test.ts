import { describe, expect, test } from "vitest";
import { type FailureCode, stageOfCode } from "../../../../shared/errors/failures.ts";
import {
  type CauseName,
  causeOf,
  causeText,
  failureNotes,
} from "../../../../tools/operations/overview/failure-words.ts";
import { noneSince } from "../../../../tools/operations/overview/read-failures.ts";
import type { Counted } from "../../../../tools/operations/ports/metrics.ts";

const since = Date.parse("2026-11-16T08:00:00Z");

/** How many there were in each minute after eight o'clock. */
function counted(minutes: Readonly<Record<number, number>>): Counted {
  return {
    total: Object.values(minutes).reduce((sum, count) => sum + count, 0),
    perStep: Array.from({ length: 60 }, (_item, minute) => minutes[minute] ?? 0),
    stepMinutes: 1,
    since,
  };
}

describe("since when nothing has succeeded", () => {
  test("counts only what failed after the last success", () => {
    const good = counted({ 1: 40, 20: 48 });
    const bad = counted({ 5: 4, 26: 10, 50: 20 });
    expect(noneSince({ good, bad })).toEqual({
      at: "2026-11-16T08:26:00.000Z",
      failed: 30,
      lastSuccess: "2026-11-16T08:20:00.000Z",
    });
  });

  test("is not said if the last minute with a failure had a success, too, or a later one", () => {
    expect(noneSince({ good: counted({ 26: 1 }), bad: counted({ 26: 5 }) })).toBeUndefined();
    expect(noneSince({ good: counted({ 27: 1 }), bad: counted({ 26: 5 }) })).toBeUndefined();
  });

  test("is not said if nothing failed", () => {
    expect(noneSince({ good: counted({}), bad: counted({}) })).toBeUndefined();
  });

  test("without any success it begins with the first failure", () => {
    expect(noneSince({ good: counted({}), bad: counted({ 3: 1, 9: 1 }) })).toEqual({
      at: "2026-11-16T08:03:00.000Z",
      failed: 2,
      lastSuccess: undefined,
    });
  });
});

test.each<[reason: FailureCode | "unexpected-error", cause: CauseName]>([
  ["inbox-unavailable", "sqs"],
  ["dead-letters-unavailable", "sqs"],
  ["keys-unreachable", "secrets-manager"],
  ["stamp-unchecked", "secrets-manager"],
  ["keys-unset", "keys"],
  ["profile-invalid", "keys"],
  ["body-not-decrypted", "keys"],
  ["table-throttled", "dynamodb"],
  ["table-unavailable", "dynamodb"],
  ["aggregate-contended", "dynamodb"],
  ["table-denied", "changed"],
  ["table-missing", "changed"],
  ["item-newer", "newer"],
  ["inbox-message-newer", "newer"],
  ["gateway-refused", "service-refuses"],
  ["gateway-busy", "service-away"],
  ["gateway-unreachable", "service-away"],
  ["gateway-timed-out", "service-away"],
  ["gateway-disconnected", "service-away"],
  ["gateway-unreadable", "service-answers"],
  ["gateway-incomplete", "service-answers"],
  ["gateway-other-order", "service-answers"],
  ["out-of-time", "slow"],
  ["unexpected-error", "function"],
])("%s: the cause is %s, by the stage and the reason of the line", (reason, cause) => {
  const stage = reason === "unexpected-error" ? "function" : stageOfCode[reason];
  expect(causeOf({ stage, reason })).toBe(cause);
});

test("a note names the time and the most frequent cause with its reason", () => {
  const cause = { name: "sqs", reason: "inbox-unavailable", count: 3 } as const;
  const at = "2026-11-16T08:26:00.000Z";
  const failures = { kind: "callbacks", failed: 3, last: at, causes: [cause] } as const;
  const noneSince = { at, failed: 3, lastSuccess: undefined };
  expect(failureNotes({ ...failures, noneSince })).toEqual([
    { text: "no callback was stored since", at },
    { text: `because ${causeText(cause)}` },
  ]);
  expect(failureNotes({ ...failures, noneSince: undefined })).toEqual([
    { text: `callbacks were not stored because ${causeText(cause)}` },
  ]);
  expect(causeText(cause)).toBe("SQS does not accept messages for the inbox (inbox-unavailable)");
});
