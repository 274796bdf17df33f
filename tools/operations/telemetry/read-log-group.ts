import { FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import type { Target } from "../target/target.ts";

interface LogRange {
  readonly logGroupName: string;
  readonly sinceMilliseconds: number;
  readonly filterPattern?: string;
  /** Enough lines. The reader may return more. */
  readonly mostLines: number;
  /** A page may be empty although there are more lines behind it. */
  readonly mostPages: number;
}

export interface LogRead {
  readonly lines: readonly string[];
  /** False if there may be more lines since that time. */
  readonly isWhole: boolean;
}

/** The lines of a log group since a time, newest first, until there are enough. */
export async function readLogGroup({ clients }: Target, range: LogRange): Promise<LogRead> {
  const { logGroupName, filterPattern, sinceMilliseconds, mostLines, mostPages } = range;
  const lines: string[] = [];
  let nextToken: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const command = new FilterLogEventsCommand({
      logGroupName,
      filterPattern,
      nextToken,
      startTime: sinceMilliseconds,
      startFromHead: false,
    });
    const { events = [], nextToken: next } = await clients.cloudWatchLogs.send(command);
    lines.push(...events.map(({ message = "" }) => message));
    nextToken = next;
    if (next === undefined || lines.length >= mostLines) break;
  }
  return { lines, isWhole: nextToken === undefined };
}
