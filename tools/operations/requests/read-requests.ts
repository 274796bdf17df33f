import { FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import type { Work } from "../described/description.ts";
import type { Target } from "../target/target.ts";
import { logGroupOf } from "../telemetry/find-attempts.ts";
import { type RequestLine, readLocalLines, readRequestLine } from "../telemetry/request-lines.ts";
import { filterPattern, matches, type RequestFilter, routes } from "./answers.ts";

export interface Reading extends RequestFilter {
  /** In milliseconds; `until` itself is not part of it. */
  readonly since: number;
  readonly until: number;
  /** A few more are given if they have the same time as the last one. */
  readonly limit: number;
  /** How often CloudWatch is called at most. */
  readonly calls: number;
}

export interface FoundRequests {
  /** Newest first. */
  readonly lines: readonly RequestLine[];
  /** Nothing older was read. It is `since` if everything was read. */
  readonly readBackTo: number;
}

/** The requests of a time, read backwards from its end until there are enough, or until the calls are used up. */
export async function readRequests(
  target: Target,
  reading: Reading,
  work: Work,
): Promise<FoundRequests> {
  return target.functionLog === undefined
    ? await readDeployed(target, reading, work)
    : await readLocal(target, reading);
}

/** A line with the time by which the log is sorted. */
interface Logged {
  readonly line: RequestLine;
  readonly at: number;
}

async function readLocal(target: Target, reading: Reading): Promise<FoundRequests> {
  const { since, until } = reading;
  const logged = (await readLocalLines(target))
    .filter(({ timestamp }) => timestamp >= since && timestamp < until)
    .filter((line) => matches(line, reading))
    .map((line) => ({ line, at: line.timestamp }));
  return newest(logged, reading.limit, since);
}

/** A line with the same time as the last one is included: the next page begins before that time. */
function newest(logged: readonly Logged[], limit: number, readBackTo: number): FoundRequests {
  const sorted = [...logged].sort((left, right) => right.at - left.at);
  const last = sorted[limit - 1];
  if (last === undefined || sorted.length === limit) {
    return { lines: sorted.map(({ line }) => line), readBackTo };
  }
  const given = sorted.filter(({ at }) => at >= last.at);
  return { lines: given.map(({ line }) => line), readBackTo: last.at };
}

const shortestWindow = 60_000;

/**
 * Reads one time window after the other, and at least one, even if it needs more calls than the limit: otherwise a
 * repeated run would end at the same place. A page of CloudWatch may be empty and does not say how far it got, so only
 * a completely read window, or found lines, show how far back everything is known.
 */
async function readDeployed(
  target: Target,
  reading: Reading,
  { stopped, tell }: Work,
): Promise<FoundRequests> {
  const { since, limit } = reading;
  const groups = groupsOf(target, reading);
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
    const read = await readWindow(target, groups, reading, window, budget, stopped);
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
  target: Target,
  groups: readonly string[],
  reading: Reading,
  window: Window,
  budget: Budget,
  stopped: AbortSignal,
): Promise<WindowRead> {
  const reads = await Promise.all(
    groups.map((group) => readGroup(target, group, reading, window, budget, stopped)),
  );
  const readBackTo = Math.max(window.start, ...reads.map((read) => read.readBackTo));
  const logged = reads.flatMap((read) => read.logged).filter(({ at }) => at >= readBackTo);
  return { logged, readBackTo };
}

const allServices = [...routes.callbacks, ...routes.storefront];

function groupsOf(target: Target, { route }: Reading): string[] {
  const wanted: readonly string[] = route === undefined ? allServices : routes[route];
  const functions = target.functions.filter(({ label }) => wanted.includes(label));
  return functions.map(({ label }) => logGroupOf(target, label));
}

async function readGroup(
  target: Target,
  logGroupName: string,
  reading: Reading,
  { start, end, most }: Window,
  budget: Budget,
  abortSignal: AbortSignal,
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
      filterPattern: filterPattern(reading),
    });
    const page = await target.clients.cloudWatchLogs
      .send(command, { abortSignal })
      .catch((error: unknown) => {
        if (!abortSignal.aborted) throw error;
      });
    if (page === undefined) break;
    for (const { message = "", timestamp: at = end } of page.events ?? []) {
      const line = readRequestLine(message.trim());
      if (line !== undefined && matches(line, reading)) logged.push({ line, at });
      // The rest of this millisecond may be on the next page.
      readBackTo = Math.min(readBackTo, at + 1);
    }
    nextToken = page.nextToken;
    if (nextToken === undefined) return { logged, readBackTo: start };
    if (logged.length > most) break;
  }
  return { logged, readBackTo };
}
