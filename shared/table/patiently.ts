import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import type { Database } from "./database.ts";

const firstPauseMilliseconds = 50;
const longestPauseMilliseconds = 2_000;

/**
 * Calls again while AWS says "slow down" or another transaction is at the same items, after pauses that grow
 * and are jittered, for as long as the invocation has time. Then the last error is thrown.
 */
export async function patiently<T>(database: Database, call: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      const longest = Math.min(firstPauseMilliseconds * 2 ** attempt, longestPauseMilliseconds);
      const wait = longest * (0.5 + database.random() / 2);
      const hasTime = database.now() + wait < database.endsAtMilliseconds;
      if (!hasTime || !saysSlowDown(error)) throw error;
      await database.pause(wait);
    }
  }
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

/** A failed condition is an answer, even if another item of the same transaction was throttled. */
function saysSlowDown(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (!(error instanceof TransactionCanceledException)) return slowDownNames.has(error.name);
  const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code ?? "None");
  return (
    codes.some((code) => slowDownReasons.has(code)) &&
    codes.every((code) => code === "None" || slowDownReasons.has(code))
  );
}
