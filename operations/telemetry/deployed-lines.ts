import { FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import type { Target } from "../target/target.ts";
import { type ReceivingLine, readReceivingLine } from "./receiving-line.ts";

export interface LogRange {
  readonly from: string;
  readonly until: string;
}

export interface FoundLines {
  readonly lines: readonly ReceivingLine[];
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
  const lines: ReceivingLine[] = [];
  const wanted = terms.slice(0, mostTerms);
  let nextToken: string | undefined;
  for (let calls = 0; calls < mostCalls && !abortSignal.aborted; calls += 1) {
    const command = new FilterLogEventsCommand({
      logGroupName: logGroupOf(target),
      startTime: Date.parse(from),
      endTime: Date.parse(until),
      filterPattern: wanted.map((term) => `?"${term}"`).join(" "),
      nextToken,
    });
    const page = await target.clients.cloudWatchLogs.send(command, { abortSignal });
    for (const { message = "" } of page.events ?? []) {
      const line = readReceivingLine(message.trim());
      if (line !== undefined) lines.push(line);
    }
    nextToken = page.nextToken;
    if (nextToken === undefined) return { lines, isPartial: terms.length > mostTerms };
  }
  return { lines, isPartial: true };
}

/** The stack gives each function a log group of its own. Without one, Lambda's rule is the function's name. */
function logGroupOf({ functions }: Target): string {
  const receiver = functions.find(({ label }) => label === "receive-callback");
  return receiver?.logGroup ?? `/aws/lambda/${receiver?.name}`;
}
