import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "../../shared/table/database.ts";
import type { Target } from "./target.ts";

/** An operation may run for long, so each call has its own deadline. */
const usualCallMilliseconds = 20_000;

/** The target's tables, for the functions of `shared/table`, `shared/orders` and `shared/records`. */
export function databaseOf(
  { clients }: Pick<Target, "clients">,
  now: () => number = Date.now,
  callMilliseconds = usualCallMilliseconds,
): Database {
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
