import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import type { Database } from "./database.ts";

const firstPauseMilliseconds = 50;
const longestPauseMilliseconds = 2_000;

/**
 * Calls again while AWS says "slow down", fails by itself, or another transaction is at the same items. The pauses
 * grow and are jittered. All of it ends with the time that the database has: the signal ends a call that hangs.
 * Every call that goes through here may be repeated: it reads, or writes under a condition or a token.
 */
export async function patiently<T>(
  database: Database,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call(AbortSignal.timeout(leftMilliseconds(database)));
    } catch (error) {
      const longest = Math.min(firstPauseMilliseconds * 2 ** attempt, longestPauseMilliseconds);
      const wait = longest * (0.5 + database.random() / 2);
      if (wait >= leftMilliseconds(database) || !mayPass(error)) throw error;
      await database.pause(wait);
    }
  }
}

/** No function has more time than this, and no timer takes any number. */
const mostMilliseconds = 60_000;

function leftMilliseconds({ endsAtMilliseconds, now }: Database): number {
  return Math.max(1, Math.min(mostMilliseconds, Math.ceil(endsAtMilliseconds - now())));
}

/** The names that DynamoDB and the layers in front of it have for the same request: come back later. */
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
  if (!(error instanceof Error)) return false;
  if (error instanceof TransactionCanceledException) return isOnlySlowedDown(error);
  return slowDownNames.has(error.name) || isServerFault(error) || isBrokenConnection(error);
}

/** A failed condition is an answer, even if another item of the same transaction was throttled. */
function isOnlySlowedDown({ CancellationReasons = [] }: TransactionCanceledException): boolean {
  const codes = CancellationReasons.map(({ Code }) => Code ?? "None");
  return (
    codes.some((code) => slowDownReasons.has(code)) &&
    codes.every((code) => code === "None" || slowDownReasons.has(code))
  );
}

function isServerFault(error: Error): boolean {
  return "$fault" in error && error.$fault === "server";
}

/** No answer came: the connection was cut, or the client's own time limit for one attempt ended it. */
function isBrokenConnection(error: Error): boolean {
  const code = "code" in error ? error.code : undefined;
  return error.name === "TimeoutError" || (typeof code === "string" && /^E[A-Z]+$/.test(code));
}
