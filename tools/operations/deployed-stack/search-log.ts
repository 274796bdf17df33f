import { type CloudWatchLogsClient, FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import type { FoundLines, LogSearch } from "../ports/log.ts";
import { type ReceivingLine, readRequestLine } from "../ports/request-line.ts";

/** A call may find nothing and still say that there is more, so the calls need a limit. */
const mostCalls = 40;
const longestMilliseconds = 20_000;
/** What CloudWatch takes. A GUID with its marks takes 40 of them, and the hash of another id 75. */
const longestPattern = 1_024;

/** Searches receive-callback's log group for lines that hold one of the terms. */
export async function searchLog(
  client: CloudWatchLogsClient,
  logGroupName: string,
  { terms, isWanted, from, until }: LogSearch,
): Promise<FoundLines> {
  const abortSignal = AbortSignal.timeout(longestMilliseconds);
  const lines: ReceivingLine[] = [];
  const { pattern, isWhole } = patternOf(terms.filter(isSearchable));
  if (pattern === "") return { lines, isPartial: true };
  let nextToken: string | undefined;
  for (let calls = 0; calls < mostCalls && !abortSignal.aborted; calls += 1) {
    const command = new FilterLogEventsCommand({
      logGroupName,
      startTime: Date.parse(from),
      endTime: Date.parse(until),
      filterPattern: pattern,
      nextToken,
    });
    const page = await client.send(command, { abortSignal });
    for (const { message = "" } of page.events ?? []) {
      const line = readRequestLine(message.trim());
      if (line?.service === "receive-callback" && isWanted(line)) lines.push(line);
    }
    nextToken = page.nextToken;
    if (nextToken === undefined) return { lines, isPartial: !isWhole };
  }
  return { lines, isPartial: true };
}

/** A term is a part of a line of JSON. An order number that JSON would write differently cannot be searched for. */
function isSearchable(term: string): boolean {
  return /^[\w.:-]{4,72}$/.test(term);
}

/** A pattern for lines that hold one of the terms, as many of them as fit. */
function patternOf(terms: readonly string[]): { pattern: string; isWhole: boolean } {
  let pattern = "";
  for (const term of terms) {
    const longer = `${pattern}${pattern === "" ? "" : " "}?"${term}"`;
    if (longer.length > longestPattern) return { pattern, isWhole: false };
    pattern = longer;
  }
  return { pattern, isWhole: true };
}
