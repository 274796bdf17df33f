import { setTimeout as pause } from "node:timers/promises";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { attemptLimits, leanSettings, withoutLogger } from "../aws-client.ts";
import { tableAttemptMilliseconds } from "../timing.ts";

/**
 * DynamoDB for one invocation. A throttled call is retried until `endsAtMilliseconds`, which is before the function's
 * timeout.
 */
export interface Database {
  readonly client: DynamoDBClient;
  readonly endsAtMilliseconds: number;
  readonly now: () => number;
  readonly random: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
}

/** One client per instance, one database per invocation. */
export function createDatabases(now: () => number): (endsAtMilliseconds: number) => Database {
  const client = withoutLogger(
    new DynamoDBClient({
      ...leanSettings,
      requestHandler: attemptLimits(tableAttemptMilliseconds),
    }),
  );
  return (endsAtMilliseconds) => ({
    client,
    endsAtMilliseconds,
    now,
    random: Math.random,
    pause: async (milliseconds) => {
      await pause(milliseconds);
    },
  });
}
