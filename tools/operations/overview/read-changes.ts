import { open } from "node:fs/promises";
import { DescribeStackEventsCommand, type StackEvent } from "@aws-sdk/client-cloudformation";
import { FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { parseJson } from "../../../shared/parse-json.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { explainAwsError } from "../target/explain-error.ts";
import { keptFor, type Target } from "../target/target.ts";
import { keepAMinute } from "../telemetry/metric.ts";
import { auditSchema, changeOfAudit, deploymentWords, type StackChange } from "./change-words.ts";

/** The changes of the last day. */
export interface Changes {
  /** Newest first. */
  readonly changes: readonly StackChange[];
  /** Why some may be missing. */
  readonly changesProblem: string | undefined;
}

const dayMilliseconds = 24 * 3_600_000;
/** Enough to find a cause. */
const mostChanges = 20;

const kept = keptFor(() => keepAMinute<Changes>(Date.now));

/** What somebody changed in the last day: deployments and keys first of all. AWS is asked once a minute. */
export async function readChanges(target: Target): Promise<Changes> {
  if (target.kind === "local") return await readAll(target);
  return await kept(target)("", () => readAll(target));
}

async function readAll(target: Target): Promise<Changes> {
  const since = target.now() - dayMilliseconds;
  const reads = target.kind === "local" ? [localChanges] : [deployments, auditedChanges];
  const found = await Promise.allSettled(reads.map((read) => read(target, since)));
  const problems = found.flatMap((result) =>
    result.status === "fulfilled" ? [] : [messageOf(result.reason)],
  );
  const changes = found
    .flatMap((result) => (result.status === "fulfilled" ? result.value : []))
    .filter(({ at }) => Date.parse(at) >= since)
    .sort((left, right) => Date.parse(right.at) - Date.parse(left.at));
  return { changes: changes.slice(0, mostChanges), changesProblem: problems[0] };
}

function messageOf(error: unknown): string {
  return explainAwsError(error)?.message ?? String(error);
}

const mostPages = 5;

/** The ends of deployments. CloudFormation gives the newest events first; an update of all resources has a few hundred. */
async function deployments({ clients, name }: Target, since: number): Promise<StackChange[]> {
  const found: StackEvent[] = [];
  let NextToken: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const command = new DescribeStackEventsCommand({ StackName: name, NextToken });
    const { StackEvents = [], NextToken: next } = await clients.cloudFormation.send(command);
    found.push(...StackEvents);
    const oldest = StackEvents.at(-1)?.Timestamp?.getTime() ?? 0;
    if (next === undefined || oldest < since) break;
    NextToken = next;
  }
  return found.flatMap((event) => deploymentOf(event));
}

function deploymentOf(event: StackEvent): StackChange[] {
  const { ResourceStatus = "", PhysicalResourceId, StackId, Timestamp } = event;
  // The stack is a resource of its own, whose physical id is its own id.
  const text = PhysicalResourceId === StackId ? deploymentWords[ResourceStatus] : undefined;
  if (text === undefined || Timestamp === undefined) return [];
  return [{ kind: "deployment", at: toRfc3339(Timestamp.getTime()), text, who: undefined }];
}

async function auditedChanges(target: Target, since: number): Promise<StackChange[]> {
  const { clients, auditLog: logGroupName } = target;
  if (logGroupName === undefined) return [];
  const lines: string[] = [];
  let nextToken: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const command = new FilterLogEventsCommand({
      logGroupName,
      nextToken,
      startTime: since,
      startFromHead: false,
    });
    const { events = [], nextToken: next } = await clients.cloudWatchLogs.send(command);
    lines.push(...events.map(({ message = "" }) => message));
    if (next === undefined || lines.length >= mostChanges) break;
    nextToken = next;
  }
  return lines.flatMap(changeOfLine);
}

async function localChanges({ auditLog = "", startedAt }: Target): Promise<StackChange[]> {
  const lines = (await readEnd(auditLog)).split("\n");
  const start: StackChange[] =
    startedAt === undefined
      ? []
      : [{ kind: "start", at: startedAt, text: "stack started", who: undefined }];
  return [...lines.flatMap(changeOfLine), ...start];
}

function changeOfLine(line: string): StackChange[] {
  const { data } = auditSchema.safeParse(parseJson(line));
  const change = data && changeOfAudit(data);
  return change === undefined ? [] : [change];
}

const mostBytes = 256 * 1024;

/** The end of a file. Empty if there is none. The first line may be cut. */
async function readEnd(path: string): Promise<string> {
  const file = await open(path, "r").catch(() => undefined);
  if (file === undefined) return "";
  try {
    const { size } = await file.stat();
    const length = Math.min(size, mostBytes);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString("utf8");
  } finally {
    await file.close();
  }
}
