import { FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { readEnd } from "../read-end.ts";
import type { Target } from "../target/target.ts";

interface AuditRange {
  readonly sinceMilliseconds: number;
  /** Enough lines. More may come, and on a busy stack those that come are not all. */
  readonly most: number;
}

const mostPages = 5;

/** The audit lines since a time, as text. On the local stack also some earlier ones, and the first may be cut. */
export async function readAudit(target: Target, range: AuditRange): Promise<readonly string[]> {
  const { kind, auditLog } = target;
  if (auditLog === undefined) return [];
  if (kind === "local") return (await readEnd(auditLog)).split("\n");
  return await linesInGroup(target, auditLog, range);
}

async function linesInGroup(
  { clients }: Target,
  logGroupName: string,
  { sinceMilliseconds, most }: AuditRange,
): Promise<readonly string[]> {
  const lines: string[] = [];
  let nextToken: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const command = new FilterLogEventsCommand({
      logGroupName,
      nextToken,
      startTime: sinceMilliseconds,
      startFromHead: false,
    });
    const { events = [], nextToken: next } = await clients.cloudWatchLogs.send(command);
    lines.push(...events.map(({ message = "" }) => message));
    if (next === undefined || lines.length >= most) break;
    nextToken = next;
  }
  return lines;
}
