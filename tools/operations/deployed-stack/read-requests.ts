import { type CloudWatchLogsClient, FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import type { StackFunction } from "../ports/functions.ts";
import { type FoundRequests, type Logged, type LogReading, newest } from "../ports/log.ts";
import { readRequestLine } from "../ports/request-line.ts";
import { logGroupOf } from "./log-group-of.ts";

interface Source {
  readonly client: CloudWatchLogsClient;
  readonly functions: readonly StackFunction[];
}

const shortestWindow = 60_000;

/**
 * Reads one time window after the other, and at least one, even if it needs more calls than the limit: otherwise a
 * repeated run would end at the same place. A page of CloudWatch may be empty and does not say how far it got, so only
 * a completely read window, or found lines, show how far back everything is known.
 */
export async function readRequests(source: Source, reading: LogReading): Promise<FoundRequests> {
  const { since, limit, stopped, tell } = reading;
  const groups = groupsOf(source, reading);
  const found: Logged[] = [];
  let { until: end, calls } = reading;
  let length = Math.max(shortestWindow, (end - since) / 30);
  const canCall = () => calls >= groups.length || end === reading.until;
  while (end > since && found.length < limit && canCall() && !stopped.aborted) {
    const isStuck = calls < groups.length;
    if (isStuck) length = shortestWindow;
    const isShort = length <= shortestWindow;
    const window = {
      start: Math.max(since, Math.floor(end - length)),
      end,
      most: limit - found.length,
    };
    // A group that gets no call would hold up all others.
    const most = Math.max(groups.length, Math.ceil(calls / 2));
    const budget = { calls: isShort ? calls : most };
    if (isStuck) budget.calls = Number.MAX_SAFE_INTEGER;
    const before = budget.calls;
    const read = await readWindow(source, groups, reading, window, budget);
    calls -= before - budget.calls;
    found.push(...read.logged);
    // A window with too many lines is tried again, shorter.
    length = read.readBackTo === end ? Math.max(shortestWindow, length / 8) : length * 4;
    end = read.readBackTo;
    tell(`Read back to ${toRfc3339(end)}, found: ${found.length}`);
  }
  return newest(found, limit, end);
}

interface Window {
  readonly start: number;
  readonly end: number;
  /** How many lines are enough. */
  readonly most: number;
}

interface Budget {
  calls: number;
}

interface WindowRead {
  readonly logged: readonly Logged[];
  readonly readBackTo: number;
}

/** The window in the logs of all functions. Lines beyond the place where another function's log ended are omitted. */
async function readWindow(
  { client }: Source,
  groups: readonly string[],
  reading: LogReading,
  window: Window,
  budget: Budget,
): Promise<WindowRead> {
  const reads = await Promise.all(
    groups.map((group) => readGroup(client, group, reading, window, budget)),
  );
  const readBackTo = Math.max(window.start, ...reads.map((read) => read.readBackTo));
  const logged = reads.flatMap((read) => read.logged).filter(({ at }) => at >= readBackTo);
  return { logged, readBackTo };
}

function groupsOf({ functions }: Source, { services }: LogReading): string[] {
  const wanted: readonly string[] = services;
  const known = functions.filter(({ label }) => wanted.includes(label));
  return known.map(({ label }) => logGroupOf(functions, label));
}

async function readGroup(
  client: CloudWatchLogsClient,
  logGroupName: string,
  { pattern: filterPattern, isWanted, stopped: abortSignal }: LogReading,
  { start, end, most }: Window,
  budget: Budget,
): Promise<WindowRead> {
  const logged: Logged[] = [];
  let readBackTo = end;
  let nextToken: string | undefined;
  while (budget.calls > 0 && !abortSignal.aborted) {
    budget.calls -= 1;
    const command = new FilterLogEventsCommand({
      logGroupName,
      nextToken,
      startTime: start,
      endTime: end - 1,
      startFromHead: false,
      filterPattern,
    });
    const page = await client.send(command, { abortSignal }).catch((error: unknown) => {
      if (!abortSignal.aborted) throw error;
    });
    if (page === undefined) break;
    for (const { message = "", timestamp: at = end } of page.events ?? []) {
      const line = readRequestLine(message.trim());
      if (line !== undefined && isWanted(line)) logged.push({ line, at });
      // The rest of this millisecond may be on the next page.
      readBackTo = Math.min(readBackTo, at + 1);
    }
    nextToken = page.nextToken;
    if (nextToken === undefined) return { logged, readBackTo: start };
    if (logged.length > most) break;
  }
  return { logged, readBackTo };
}
