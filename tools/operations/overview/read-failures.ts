import {
  type Counted,
  keepAMinute,
  minuteMilliseconds,
  type ReadMetrics,
  ranges,
} from "../ports/metrics.ts";
import type { RequestLine } from "../ports/request-line.ts";
import { keptFor, type Target } from "../ports/target.ts";
import { type RequestFilter, shownReason } from "../requests/answers.ts";
import { readRequests } from "../requests/read-requests.ts";
import {
  type Cause,
  causeOf,
  type FailureKind,
  type Failures,
  failureKinds,
  type NoneSince,
} from "./failure-words.ts";
import { type FlowCounts, readCounts } from "./flow-counts.ts";

interface Ends {
  readonly good: Counted;
  readonly bad: Counted;
}

/** How often requests of a kind succeeded and failed. */
function endsOf(counts: FlowCounts, kind: FailureKind): Ends {
  switch (kind) {
    case "callbacks":
      return { good: counts.accepted, bad: counts.notStored };
    case "orders":
      return { good: counts.ordersCreated, bad: plus(counts.ordersRefused, counts.ordersFailed) };
    case "queries":
      return { good: minus(counts.queries, counts.askFailed), bad: counts.askFailed };
  }
}

/** Also which causes the log names. The log is read only for what has failed. */
export async function readFailures(
  target: Pick<Target, "stack" | "clock" | "log">,
  metrics: ReadMetrics,
  counts: FlowCounts,
): Promise<readonly Failures[]> {
  const failing = failureKinds.filter((kind) => endsOf(counts, kind).bad.total > 0);
  return await Promise.all(
    failing.map(async (kind) => {
      const { bad } = endsOf(counts, kind);
      const none = await readNoneSince(metrics, counts, kind);
      // What failed before the last success may have had another cause.
      const since = Math.max(bad.since, none === undefined ? 0 : Date.parse(none.at));
      return {
        kind,
        failed: bad.total,
        last: timeOf(bad, bad.perStep.findLastIndex(isSome)),
        noneSince: none,
        causes: await readCauses(target, kind, since),
      };
    }),
  );
}

/** If nothing succeeded in the hour, the counts of a day say since when. */
async function readNoneSince(
  metrics: ReadMetrics,
  counts: FlowCounts,
  kind: FailureKind,
): Promise<NoneSince | undefined> {
  const hour = noneSince(endsOf(counts, kind));
  if (hour === undefined || hour.lastSuccess !== undefined) return hour;
  const day = await readCounts(metrics, ranges["1d"]);
  return noneSince(endsOf(day, kind)) ?? hour;
}

/** A minute with both a success and a failure counts as good: the order within it is not known. */
export function noneSince({ good, bad }: Ends): NoneSince | undefined {
  const lastGood = good.perStep.findLastIndex(isSome);
  const first = bad.perStep.findIndex((count, step) => step > lastGood && isSome(count));
  if (first === -1) return undefined;
  const failed = bad.perStep.slice(first).reduce((sum, count) => sum + count, 0);
  const lastSuccess = lastGood === -1 ? undefined : timeOf(good, lastGood);
  return { at: timeOf(bad, first), failed, lastSuccess };
}

function isSome(count: number): boolean {
  return count > 0;
}

function timeOf({ since, stepMinutes }: Counted, step: number): string {
  return new Date(since + step * stepMinutes * minuteMilliseconds).toISOString();
}

function plus(left: Counted, right: Counted): Counted {
  return combine(left, right, (first, second) => first + second);
}

function minus(left: Counted, right: Counted): Counted {
  return combine(left, right, (first, second) => Math.max(0, first - second));
}

function combine(left: Counted, right: Counted, of: (a: number, b: number) => number): Counted {
  const perStep = left.perStep.map((count, step) => of(count, right.perStep[step] ?? 0));
  return { ...left, perStep, total: perStep.reduce((sum, count) => sum + count, 0) };
}

const routes: Readonly<Record<FailureKind, readonly RequestFilter[]>> = {
  callbacks: [{ route: "callbacks", answer: "failed" }],
  orders: [
    { route: "create-order", answer: "failed" },
    { route: "create-order", answer: "refused" },
  ],
  queries: [{ route: "query-order", answer: "failed" }],
};

/** Enough to find the cause. */
const mostLines = 50;
const mostCalls = 6;
const longestMilliseconds = 10_000;

const kept = keptFor(() => keepAMinute<readonly Cause[]>(Date.now));

/** The causes that the newest failed requests name, most frequent first. CloudWatch is called once a minute. */
async function readCauses(
  target: Pick<Target, "stack" | "clock" | "log">,
  kind: FailureKind,
  since: number,
): Promise<readonly Cause[]> {
  const find = async () => countCauses(await readFailed(target, kind, since));
  const found = target.stack.kind === "local" ? find() : kept(target)(`${kind} ${since}`, find);
  // The counts are shown even without the permission to read the log.
  return await found.catch(() => []);
}

async function readFailed(target: Pick<Target, "clock" | "log">, kind: FailureKind, since: number) {
  const range = { since, until: target.clock.now() + 1, limit: mostLines, calls: mostCalls };
  const work = { stopped: AbortSignal.timeout(longestMilliseconds), tell: () => undefined };
  const found = await Promise.all(
    routes[kind].map((filter) => readRequests(target, { ...range, ...filter }, work)),
  );
  return found.flatMap(({ lines }) => lines);
}

function countCauses(lines: readonly RequestLine[]): readonly Cause[] {
  const counts = new Map<string, Cause>();
  for (const line of lines) {
    const reason = shownReason(line) ?? "unknown";
    const count = (counts.get(reason)?.count ?? 0) + 1;
    counts.set(reason, { name: causeOf(line), reason, count });
  }
  return [...counts.values()].sort((left, right) => right.count - left.count);
}
