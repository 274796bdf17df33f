import { DescribeStackEventsCommand, type StackEvent } from "@aws-sdk/client-cloudformation";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { readAudit } from "../audit/read-audit.ts";
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

/** The changes of the last day, such as deployments and keys. AWS is called once a minute. */
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

/**
 * The ends of deployments. CloudFormation gives the newest events first; an update of all resources has a few hundred.
 */
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
  const { lines } = await readAudit(target, { sinceMilliseconds: since, most: mostChanges });
  return lines.flatMap(changeOfLine);
}

async function localChanges(target: Target, since: number): Promise<StackChange[]> {
  const { startedAt } = target;
  const start: StackChange[] =
    startedAt === undefined
      ? []
      : [{ kind: "start", at: startedAt, text: "stack started", who: undefined }];
  return [...(await auditedChanges(target, since)), ...start];
}

function changeOfLine(line: string): StackChange[] {
  const { data } = auditSchema.safeParse(parseJson(line));
  const change = data && changeOfAudit(data);
  return change === undefined ? [] : [change];
}
