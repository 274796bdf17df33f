import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { isTransient } from "../errors/aws-fault.ts";
import { inTime } from "../in-time.ts";
import type { Database } from "./database.ts";
import { tableErrorOf } from "./table-error.ts";

const firstPauseMilliseconds = 50;
const longestPauseMilliseconds = 2_000;

/**
 * Repeats a call while AWS throttles it, has an internal error, or runs another transaction on the same items. The
 * pauses grow and have jitter. Everything ends at the database's deadline: a call that still hangs is no longer waited
 * for, and not repeated. Every call made here is safe to repeat: it reads, or writes with a condition or a token. Throws
 * a `TableError` if AWS failed.
 */
export async function patiently<T>(database: Database, call: () => Promise<T>): Promise<T> {
  // Read once, because an operator's long work gives each call its own deadline.
  const { endsAtMilliseconds } = database;
  const remaining = () => remainingMilliseconds(endsAtMilliseconds, database.now());
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await inTime(remaining(), tableTooSlow, call);
    } catch (error) {
      const longest = Math.min(firstPauseMilliseconds * 2 ** attempt, longestPauseMilliseconds);
      const wait = longest * (0.5 + database.random() / 2);
      if (wait >= remaining() || !mayPass(error)) throw tableErrorOf(error, isSlowedDown(error));
      await database.pause(wait);
    }
  }
}

function tableTooSlow(): Error {
  return new DOMException("DynamoDB did not respond in time.", "TimeoutError");
}

/** No function runs longer than this, and timers have a maximum. */
const mostMilliseconds = 60_000;

function remainingMilliseconds(endsAtMilliseconds: number, now: number): number {
  return Math.max(1, Math.min(mostMilliseconds, Math.ceil(endsAtMilliseconds - now)));
}

/** The names of throttling errors of DynamoDB and the layers in front of it. */
const slowDownNames = new Set([
  "LimitExceededException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "RequestThrottled",
  "RequestThrottledException",
  "SlowDown",
  "ThrottledException",
  "Throttling",
  "ThrottlingException",
  "TooManyRequestsException",
  "TransactionConflictException",
  "TransactionInProgressException",
]);

const slowDownReasons = new Set([
  "ProvisionedThroughputExceeded",
  "ThrottlingError",
  "TransactionConflict",
]);

/** Whether the same call may succeed a moment later. */
function mayPass(error: unknown): boolean {
  return isSlowedDown(error) || isTransient(error);
}

function isSlowedDown(error: unknown): boolean {
  if (error instanceof TransactionCanceledException) return isOnlySlowedDown(error);
  return error instanceof Error && slowDownNames.has(error.name);
}

/** A failed condition is a result, even if another item of the same transaction was throttled. */
function isOnlySlowedDown({ CancellationReasons = [] }: TransactionCanceledException): boolean {
  const codes = CancellationReasons.map(({ Code }) => Code ?? "None");
  return (
    codes.some((code) => slowDownReasons.has(code)) &&
    codes.every((code) => code === "None" || slowDownReasons.has(code))
  );
}
