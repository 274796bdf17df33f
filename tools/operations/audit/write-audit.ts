import { randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import {
  type CloudWatchLogsClient,
  CreateLogStreamCommand,
  PutLogEventsCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import { GetCallerIdentityCommand, type STSClient } from "@aws-sdk/client-sts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";

/** What is done, to what: never a key, a payload or personal data. */
type AuditDetails = Readonly<Record<string, string | number | readonly string[]>>;

/** A line names at most this many ids, because a log event has a maximum size. */
export const mostAuditedIds = 1_000;

/**
 * Leaves a line that says who changes what, before it is changed. If the line cannot be written, it throws, and nothing
 * is changed.
 */
export type WriteAudit = (act: string, details: AuditDetails) => Promise<void>;

export function auditFile(directory: string): string {
  return join(directory, "audit.log");
}

/** A file in the local stack's directory, one line of JSON per act. */
export function localAudit(directory: string, now: () => number): WriteAudit {
  return async (act, details) => {
    const who = `${userName()}@${hostname()}`;
    const file = auditFile(directory);
    try {
      mkdirSync(directory, { recursive: true });
      appendFileSync(file, `${lineOf(now(), who, act, details)}\n`);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const message = `The audit line cannot be written to ${file}, so nothing was changed: ${reason}`;
      throw new PaycastError("audit-unwritable", message, { cause });
    }
  };
}

/** In a container the user may have a number and no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

interface AuditClients {
  readonly cloudWatchLogs: CloudWatchLogsClient;
  readonly sts: STSClient;
}

/** The stack's log group for it. Each act has a stream of its own, so that two operators never wait for each other. */
export function deployedAudit(
  { cloudWatchLogs, sts }: AuditClients,
  logGroupName: string | undefined,
): WriteAudit {
  return async (act, details) => {
    if (logGroupName === undefined) throw new PaycastError("target-incomplete", noLogGroup);
    const { Arn = "unknown" } = await sts.send(new GetCallerIdentityCommand({}));
    const timestamp = Date.now();
    const logStreamName = `${new Date(timestamp).toISOString().slice(0, 10)}/${act}/${randomUUID()}`;
    await cloudWatchLogs.send(new CreateLogStreamCommand({ logGroupName, logStreamName }));
    const logEvents = [{ timestamp, message: lineOf(timestamp, Arn, act, details) }];
    const command = new PutLogEventsCommand({ logGroupName, logStreamName, logEvents });
    const { rejectedLogEventsInfo } = await cloudWatchLogs.send(command);
    // CloudWatch returns 200 and drops a line whose time is hours ahead or weeks old.
    if (rejectedLogEventsInfo !== undefined) throw new PaycastError("aws-refused", rejected);
  };
}

function lineOf(now: number, who: string, act: string, details: AuditDetails): string {
  return JSON.stringify({ at: new Date(now).toISOString(), who, act, ...details });
}

const rejected =
  "CloudWatch did not accept the audit line, so nothing was changed. Check the clock of this machine.";
const noLogGroup =
  "The stack has no output AuditLogGroup, so nothing can be changed with this command. Deploy this version first.";
