import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Target } from "../target/target.ts";
import { type LogRead, readLogGroup } from "../telemetry/read-log-group.ts";

interface AuditRange {
  readonly sinceMilliseconds: number;
  /** Enough lines. The reader may return more, and on a busy stack not all of them. */
  readonly most: number;
}

const mostPages = 5;

/** The audit lines since a time, as text. On the local stack also the earlier ones. */
export async function readAudit(target: Target, range: AuditRange): Promise<LogRead> {
  const { kind, auditLog } = target;
  const { sinceMilliseconds, most: mostLines } = range;
  if (auditLog === undefined) return { lines: [], isWhole: true };
  if (kind === "local") return { lines: await linesInFile(auditLog), isWhole: true };
  const logGroupName = auditLog;
  return await readLogGroup(target, { logGroupName, sinceMilliseconds, mostLines, mostPages });
}

async function linesInFile(path: string): Promise<readonly string[]> {
  // The file exists after the first change.
  return existsSync(path) ? (await readFile(path, "utf8")).split("\n") : [];
}
