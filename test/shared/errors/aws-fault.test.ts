import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { isFaultOfAws, mayPass } from "../../../shared/errors/aws-fault.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";

const error = (name: string, fields: object = {}) =>
  Object.assign(new Error("any"), { name, ...fields });

const cancelled = (reasons: string) =>
  new TransactionCanceledException({
    message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons}]`,
    $metadata: {},
  });

test.each([
  ["an answer of AWS", error("AccessDeniedException", { $metadata: {} })],
  ["a transaction that was throttled", cancelled("None, ThrottlingError")],
  ["a call that took too long", error("TimeoutError")],
  ["a call that was aborted", error("AbortError")],
  ["missing credentials", error("CredentialsProviderError")],
  ["a closed connection", error("Error", { code: "ECONNRESET" })],
  ["a name that cannot be resolved", error("Error", { code: "EAI_AGAIN" })],
])("%s is the fault of AWS, and passes", (_name, thrown) => {
  expect(isFaultOfAws(thrown)).toBe(true);
  expect(mayPass(thrown)).toBe(true);
});

test("an error of ours is not the fault of AWS, also if it passes", () => {
  for (const retryable of [true, false]) {
    const ours = new PaycastError("aggregate-contended", "any", { retryable });
    expect([isFaultOfAws(ours), mayPass(ours)]).toEqual([false, retryable]);
  }
});

test.each([
  ["a TypeError", new TypeError("any")],
  ["a wrong argument for Node", error("TypeError", { code: "ERR_INVALID_ARG_TYPE" })],
  ["a request that AWS cannot read", error("ValidationException", { $metadata: {} })],
  ["a transaction that AWS cannot read", cancelled("ValidationError, None")],
  ["a callback that cannot be understood", new PaycastError("event-unknown", "any")],
  ["what is not an error", "any"],
])("%s is not the fault of AWS", (_name, thrown) => {
  expect(isFaultOfAws(thrown)).toBe(false);
  expect(mayPass(thrown)).toBe(false);
});
