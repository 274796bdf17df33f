import { FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import type { Target } from "../target/target.ts";
import { type RequestLine, readRequestLine } from "./request-line.ts";

export interface LogRange {
  readonly from: string;
  readonly until: string;
}

interface FoundLines {
  readonly lines: readonly RequestLine[];
  /** The range was not searched to its end. */
  readonly isPartial: boolean;
}

/** A call may find nothing and still say that there is more, so the calls need a limit. */
const mostCalls = 40;
const longestMilliseconds = 20_000;
/** CloudWatch takes 1,024 characters; a GUID with its marks takes 41. */
const mostTerms = 24;

/** Searches receive-callback's log group for lines that hold one of the terms. */
export async function searchDeployedLines(
  target: Target,
  terms: readonly string[],
  { from, until }: LogRange,
): Promise<FoundLines> {
  const abortSignal = AbortSignal.timeout(longestMilliseconds);
  const lines: RequestLine[] = [];
  const wanted = terms.slice(0, mostTerms);
  let nextToken: string | undefined;
  for (let calls = 0; calls < mostCalls && !abortSignal.aborted; calls += 1) {
    const command = new FilterLogEventsCommand({
      logGroupName: logGroupOf(target, "receive-callback"),
      startTime: Date.parse(from),
      endTime: Date.parse(until),
      filterPattern: wanted.map((term) => `?"${term}"`).join(" "),
      nextToken,
    });
    const page = await target.clients.cloudWatchLogs.send(command, { abortSignal });
    for (const { message = "" } of page.events ?? []) {
      const line = readRequestLine(message.trim());
      if (line !== undefined) lines.push(line);
    }
    nextToken = page.nextToken;
    if (nextToken === undefined) return { lines, isPartial: terms.length > mostTerms };
  }
  return { lines, isPartial: true };
}

/** The stack gives each function a log group of its own. Without one, Lambda's rule is the function's name. */
export function logGroupOf({ functions }: Target, label: string): string {
  const one = functions.find((known) => known.label === label);
  return one?.logGroup ?? `/aws/lambda/${one?.name}`;
}
