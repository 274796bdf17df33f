import { DynamoDBClient, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import type { Database } from "../../../shared/table/database.ts";
import { patiently } from "../../../shared/table/patiently.ts";

/** A database whose clock moves only by its pauses. */
function databaseFor(milliseconds: number): Database & { readonly pauses: number[] } {
  let now = 0;
  const pauses: number[] = [];
  return {
    client: new DynamoDBClient({}),
    endsAtMilliseconds: milliseconds,
    now: () => now,
    random: () => 1,
    pause: async (wait) => {
      pauses.push(wait);
      now += wait;
    },
    pauses,
  };
}

function named(name: string): Error {
  return Object.assign(new Error("thrown by the test"), { name });
}

function cancelled(...codes: string[]): Error {
  return new TransactionCanceledException({
    message: "cancelled",
    $metadata: {},
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
}

async function callsUntilDone(error: Error, times: number): Promise<number> {
  let calls = 0;
  await patiently(databaseFor(29_000), async () => {
    calls += 1;
    if (calls <= times) throw error;
  });
  return calls;
}

describe("AWS saying slow down, in every spelling it has, is tried again", () => {
  test.each([
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "RequestLimitExceeded",
    "TooManyRequestsException",
    "TransactionInProgressException",
    "TransactionConflictException",
    "TimeoutError",
  ])("%s", async (name) => {
    expect(await callsUntilDone(named(name), 7)).toBe(8);
  });

  test("a fault of the server, and a cut connection", async () => {
    const fault = Object.assign(named("InternalServerError"), { $fault: "server" });
    expect(await callsUntilDone(fault, 7)).toBe(8);
    const cut = Object.assign(named("Error"), { code: "ECONNRESET" });
    expect(await callsUntilDone(cut, 7)).toBe(8);
    const unresolved = Object.assign(named("Error"), { code: "EAI_AGAIN" });
    expect(await callsUntilDone(unresolved, 7)).toBe(8);
  });

  test.each([
    [["ThrottlingError", "None"]],
    [["None", "ProvisionedThroughputExceeded"]],
    [["TransactionConflict", "ThrottlingError"]],
  ])("a transaction cancelled with %j", async (codes) => {
    expect(await callsUntilDone(cancelled(...codes), 7)).toBe(8);
  });
});

test.each([
  ["a failed condition", cancelled("None", "ConditionalCheckFailed")],
  [
    "a failed condition beside a throttled item",
    cancelled("ThrottlingError", "ConditionalCheckFailed"),
  ],
  ["an item that is invalid", cancelled("ValidationError", "ThrottlingError")],
  ["a cancellation without a reason", cancelled()],
  ["a request that DynamoDB cannot read", named("ValidationException")],
])("%s is an answer and not tried again", async (_case, error) => {
  let calls = 0;
  const call = async () => {
    calls += 1;
    throw error;
  };
  await expect(patiently(databaseFor(29_000), call)).rejects.toBe(error);
  expect(calls).toBe(1);
});

test("the pauses grow up to two seconds, and the last try ends inside the time there is", async () => {
  const database = databaseFor(10_000);
  const cause = named("ThrottlingException");
  const failing = patiently(database, () => Promise.reject(cause));
  await expect(failing).rejects.toMatchObject({ code: "table-throttled", retryable: true, cause });
  expect(database.pauses.slice(0, 7)).toEqual([50, 100, 200, 400, 800, 1600, 2000]);
  expect(database.now()).toBeGreaterThan(7_000);
  expect(database.now()).toBeLessThan(10_000);
});

test("the pauses are jittered, so that many callers do not come back together", async () => {
  const database = { ...databaseFor(1_000), random: () => 0 };
  await expect(patiently(database, () => Promise.reject(named("SlowDown")))).rejects.toThrow();
  expect(database.pauses[0]).toBe(25);
});

test("a call that hangs is waited for as long as there is time", async () => {
  const database = { ...databaseFor(40), now: () => 0 };
  const hanging = () => new Promise<never>(() => {});
  await expect(patiently(database, hanging)).rejects.toMatchObject({ code: "table-unavailable" });
});

const answered = (name: string) => Object.assign(named(name), { $metadata: {} });

test.each([
  ["AWS throttles to the end", "table-throttled", answered("ThrottlingException")],
  ["transactions collide to the end", "table-throttled", cancelled("TransactionConflict")],
  [
    "the connection breaks",
    "table-unavailable",
    Object.assign(named("Error"), { code: "ECONNRESET" }),
  ],
  ["DynamoDB has an error of its own", "table-unavailable", answered("InternalServerError")],
  ["a role lacks the permission", "table-denied", answered("AccessDeniedException")],
  ["the table is gone", "table-missing", answered("ResourceNotFoundException")],
])("an error is of the table if %s: %s", async (_case, code, cause) => {
  const failing = patiently(databaseFor(20), () => Promise.reject(cause));
  await expect(failing).rejects.toMatchObject({ name: "TableError", code, retryable: true, cause });
});
