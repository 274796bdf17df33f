import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "../../shared/table/database.ts";
import type { Target } from "./target.ts";

/** An operation may run for long, so each call has its own deadline. */
const callMilliseconds = 20_000;

/** The target's tables, for the functions of `shared/table`, `shared/orders` and `shared/records`. */
export function databaseOf({ clients }: Target, now: () => number = Date.now): Database {
  return {
    client: clients.dynamodb,
    get endsAtMilliseconds() {
      return now() + callMilliseconds;
    },
    now,
    random: Math.random,
    pause: async (milliseconds) => {
      await pause(milliseconds);
    },
  };
}
