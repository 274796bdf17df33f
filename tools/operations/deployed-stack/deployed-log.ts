import type { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import type { StackFunction } from "../ports/functions.ts";
import type { Log } from "../ports/log.ts";
import { logGroupOf } from "./log-group-of.ts";
import { readFailures } from "./read-failures.ts";
import { readRequests } from "./read-requests.ts";
import { searchLog } from "./search-log.ts";

/** The log groups of the functions. */
export function deployedLog(
  client: CloudWatchLogsClient,
  functions: readonly StackFunction[],
): Log {
  return {
    readRequests: (reading) => readRequests({ client, functions }, reading),
    searchReceived: (search) =>
      searchLog(client, logGroupOf(functions, "receive-callback"), search),
    readFailures: (sinceMilliseconds) => readFailures(client, functions, sinceMilliseconds),
    placeOf: (label) => `log group ${logGroupOf(functions, label)}`,
  };
}
