import type { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import { backgroundFunctions, failedOutcomes, failuresIn } from "../ports/failed-work.ts";
import type { StackFunction } from "../ports/functions.ts";
import type { FoundFailures } from "../ports/log.ts";
import { logGroupOf } from "./log-group-of.ts";
import { readLogGroup } from "./read-log-group.ts";

const conditions = failedOutcomes.map((outcome) => `($.outcome = "${outcome}")`);
const filterPattern = `{ ${conditions.join(" || ")} }`;
/** Enough to say that a function fails. */
const mostLines = 100;
const mostPages = 20;

/** What each function without a caller logged of failures since a time. */
export async function readFailures(
  client: CloudWatchLogsClient,
  functions: readonly StackFunction[],
  sinceMilliseconds: number,
): Promise<readonly FoundFailures[]> {
  const known = backgroundFunctions.filter((name) => functions.some(({ label }) => label === name));
  return await Promise.all(
    known.map(async (name) => {
      const logGroupName = logGroupOf(functions, name);
      const range = { logGroupName, sinceMilliseconds, filterPattern, mostLines, mostPages };
      const { lines, isWhole } = await readLogGroup(client, range);
      return { name, failed: failuresIn(lines, sinceMilliseconds), isWhole };
    }),
  );
}
