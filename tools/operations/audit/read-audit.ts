import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import type { Target } from "../target/target.ts";

interface AuditRange {
  readonly sinceMilliseconds: number;
  /** Enough lines. More may come, and on a busy stack those that come are not all. */
  readonly most: number;
}

const mostPages = 5;

interface AuditRead {
  readonly lines: readonly string[];
  /** False if there may be more lines since that time. */
  readonly isWhole: boolean;
}

/** The audit lines since a time, as text. On the local stack also the earlier ones. */
export async function readAudit(target: Target, range: AuditRange): Promise<AuditRead> {
  const { kind, auditLog } = target;
  if (auditLog === undefined) return { lines: [], isWhole: true };
  if (kind === "deployed") return await linesInGroup(target, auditLog, range);
  return { lines: await linesInFile(auditLog), isWhole: true };
}

async function linesInFile(path: string): Promise<readonly string[]> {
  // The file exists after the first change.
  return existsSync(path) ? (await readFile(path, "utf8")).split("\n") : [];
}

async function linesInGroup(
  { clients }: Target,
  logGroupName: string,
  { sinceMilliseconds, most }: AuditRange,
): Promise<AuditRead> {
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
    nextToken = next;
    if (next === undefined || lines.length >= most) break;
  }
  return { lines, isWhole: nextToken === undefined };
}
