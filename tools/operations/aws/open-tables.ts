import { setTimeout as pause } from "node:timers/promises";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Database } from "../../../shared/table/database.ts";

/** An operation may run for long, so each call has its own deadline. */
const usualCallMilliseconds = 20_000;

/** DynamoDB, for the functions of `shared/table`, `shared/orders` and `shared/records`. */
export function openTables(
  client: DynamoDBClient,
  callMilliseconds = usualCallMilliseconds,
): Database {
  return {
    client,
    get endsAtMilliseconds() {
      return Date.now() + callMilliseconds;
    },
    now: Date.now,
    random: Math.random,
    pause: async (milliseconds) => {
      await pause(milliseconds);
    },
  };
}
