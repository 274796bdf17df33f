import { randomUUID } from "node:crypto";
import {
  type CloudWatchLogsClient,
  CreateLogStreamCommand,
  PutLogEventsCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import { GetCallerIdentityCommand, type STSClient } from "@aws-sdk/client-sts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { type Audit, auditLine } from "../ports/audit.ts";
import { readLogGroup } from "./read-log-group.ts";

interface AuditClients {
  readonly cloudWatchLogs: CloudWatchLogsClient;
  readonly sts: STSClient;
}

const mostPages = 5;

/** The stack's log group for it. Each act has a stream of its own, so that two operators never wait for each other. */
export function deployedAudit(
  { cloudWatchLogs, sts }: AuditClients,
  logGroupName: string | undefined,
): Audit {
  return {
    write: async (act, details) => {
      if (logGroupName === undefined) throw new PaycastError("target-incomplete", noLogGroup);
      const { Arn = "unknown" } = await sts.send(new GetCallerIdentityCommand({}));
      const timestamp = Date.now();
      const logStreamName = `${new Date(timestamp).toISOString().slice(0, 10)}/${act}/${randomUUID()}`;
      await cloudWatchLogs.send(new CreateLogStreamCommand({ logGroupName, logStreamName }));
      const logEvents = [{ timestamp, message: auditLine(timestamp, Arn, act, details) }];
      const command = new PutLogEventsCommand({ logGroupName, logStreamName, logEvents });
      const { rejectedLogEventsInfo } = await cloudWatchLogs.send(command);
      // CloudWatch returns 200 and drops a line whose time is hours ahead or weeks old.
      if (rejectedLogEventsInfo !== undefined) throw new PaycastError("aws-refused", rejected);
    },
    read: async ({ sinceMilliseconds, most: mostLines }) => {
      if (logGroupName === undefined) return { lines: [], isWhole: true };
      const range = { logGroupName, sinceMilliseconds, mostLines, mostPages };
      return await readLogGroup(cloudWatchLogs, range);
    },
  };
}

const rejected =
  "CloudWatch did not accept the audit line, so nothing was changed. Check the clock of this machine.";
const noLogGroup =
  "The stack has no output AuditLogGroup, so nothing can be changed with this command. Deploy this version first.";
