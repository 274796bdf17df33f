import { type CloudWatchLogsClient, FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";

interface GroupRange {
  readonly logGroupName: string;
  readonly sinceMilliseconds: number;
  readonly filterPattern?: string;
  /** Enough lines. The reader may return more. */
  readonly mostLines: number;
  /** A page may be empty although there are more lines behind it. */
  readonly mostPages: number;
}

interface LogRead {
  readonly lines: readonly string[];
  /** False if there may be more lines since that time. */
  readonly isWhole: boolean;
}

/** The lines of a log group since a time, newest first, until there are enough. */
export async function readLogGroup(
  client: CloudWatchLogsClient,
  range: GroupRange,
): Promise<LogRead> {
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
    const { events = [], nextToken: next } = await client.send(command);
    lines.push(...events.map(({ message = "" }) => message));
    nextToken = next;
    if (next === undefined || lines.length >= mostLines) break;
  }
  return { lines, isWhole: nextToken === undefined };
}
