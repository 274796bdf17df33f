import * as sqs from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { failureOf, isRefusal, UntriedSend } from "../../../shared/delivery/failure.ts";
import { sqsError } from "../../builders/sqs-error.ts";

const kindOf = (error: unknown) => failureOf("a", error).kind;

test("of the errors that the SDK knows, those of a missing queue or of its key mean that it is gone", () => {
  const names = Object.entries(sqs)
    .filter(
      ([, value]) =>
        typeof value === "function" && value.prototype instanceof sqs.SQSServiceException,
    )
    .map(([name]) => name);
  expect(names.filter((name) => kindOf(sqsError(name)) === "gone").sort()).toEqual([
    "KmsDisabled",
    "KmsInvalidState",
    "KmsNotFound",
    "QueueDoesNotExist",
  ]);
  expect(names).toContain("KmsAccessDenied");
});

describe("what SQS answered, in either protocol,", () => {
  test.each([
    ["AWS.SimpleQueueService.NonExistentQueue", 400, "gone"],
    ["KMS.DisabledException", 400, "gone"],
    ["KMS.InvalidStateException", 400, "gone"],
    ["KMS.NotFoundException", 400, "gone"],
    ["KMS.AccessDeniedException", 400, "refused"],
    ["AccessDenied", 403, "refused"],
    ["InvalidMessageContents", 400, "refused"],
    ["KMS.ThrottlingException", 400, "failed"],
    ["KmsThrottled", 400, "failed"],
    ["RequestThrottled", 403, "failed"],
    ["OverLimit", 400, "failed"],
    ["Unknown", 429, "failed"],
    ["InternalFailure", 500, "failed"],
    ["ServiceUnavailable", 503, "failed"],
  ])("%s (%i): %s", (name, status, kind) => {
    expect(kindOf(sqsError(name, status))).toBe(kind);
  });
});

test.each<[string, unknown]>([
  ["a time limit", new DOMException("too late", "TimeoutError")],
  ["a time limit of the SDK", Object.assign(new Error("x"), { $metadata: { attempts: 3 } })],
  ["a broken connection", Object.assign(new Error("reset"), { code: "ECONNRESET" })],
  ["something else", "thrown"],
])("%s is no response, and no refusal", (_case, error) => {
  expect(kindOf(error)).toBe("no-response");
  expect(isRefusal(failureOf("a", error))).toBe(false);
});

test("an event that was not sent has the reason of the one before it", () => {
  const failure = failureOf("a", new UntriedSend("No."));
  expect(failure).toEqual({ subscriber: "a", errorName: "TimeoutError", kind: "untried" });
});
