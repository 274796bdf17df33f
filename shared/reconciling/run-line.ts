import { codeForLog } from "../gateway/gateway-error.ts";
import { failureFields } from "../telemetry/failure-fields.ts";
import type { LogFields, Metrics } from "../telemetry/log-line.ts";
import type { Result } from "./check-findings.ts";
import type { Happening, Journal } from "./run-journal.ts";

/**
 * How a run ended. `reconciled`: as usual. `ended-by-failures`: too many failures and no response. `failed`: the lease
 * or the index could not be read. `lease-held`: another run was active.
 */
export type RunEnd = "reconciled" | "ended-by-failures" | "failed" | "lease-held";

/** Enough to start with. The metrics have the number. */
const mostKeysInLine = 5;

/** One line per run, however many orders were checked or failed. `error` ended the run. */
export function describeRun(
  journal: Journal,
  outcome: RunEnd,
  nowMilliseconds: number,
  error?: unknown,
): [fields: LogFields, metrics: Metrics] {
  const { happenings, startedAtMilliseconds } = journal;
  const why = error ?? errorBehind(outcome, happenings);
  const keys = troubledKeys(happenings);
  const fields = {
    outcome,
    ...(why !== undefined && failureFields(why)),
    serviceCode: codeForLog(why),
    aggregateKeys: keys.length === 0 ? undefined : keys,
    durationMilliseconds: nowMilliseconds - startedAtMilliseconds,
  };
  return [fields, { ...oldestDue(journal), ...countsOf(happenings) }];
}

/** The first error of a run is where to start, but a run that failures ended names the last of them. */
function errorBehind(outcome: RunEnd, happenings: readonly Happening[]): unknown {
  const errors = happenings.map(errorOf).filter((found) => found !== undefined);
  return outcome === "ended-by-failures" ? errors.at(-1) : errors[0];
}

function errorOf(happening: Happening): unknown {
  if (happening.kind === "check-failed") return happening.error;
  if (happening.kind !== "asked") return undefined;
  return "error" in happening.result ? happening.result.error : undefined;
}

/** Unresolved orders come first, because their alarm sends the operator to this line. */
function troubledKeys(happenings: readonly Happening[]): string[] {
  const unresolved = happenings.filter(({ kind }) => kind === "unresolved");
  const troubled = happenings.filter(
    (happening) => happening.kind === "item-unreadable" || errorOf(happening) !== undefined,
  );
  const keys = [...unresolved, ...troubled].map(({ aggregateKey }) => aggregateKey);
  return [...new Set(keys)].slice(0, mostKeysInLine);
}

/** A 0 is written too, because missing data means that the schedule does not run. */
function oldestDue({ oldestDueMilliseconds: oldest }: Journal): Metrics {
  return oldest === undefined ? {} : { OldestDueSeconds: Math.round(oldest / 1000) };
}

/** Zeros are omitted, unless another metric of the same alarm is written. */
function countsOf(happenings: readonly Happening[]): Metrics {
  const results = happenings.flatMap((happening) =>
    happening.kind === "asked" ? [happening.result.kind] : [],
  );
  const resultsOf = (kind: Result["kind"]) => results.filter((result) => result === kind).length;
  const happened = (kind: Happening["kind"]) =>
    happenings.filter((happening) => happening.kind === kind).length;
  const unusable = {
    ServiceRefused: resultsOf("refused"),
    UnreadableAnswer: resultsOf("unreadable"),
    QueryFailed: resultsOf("failed"),
  };
  const counts = {
    Asked: results.length,
    Answered: results.length - resultsOf("failed"),
    News: resultsOf("news"),
    RefundStatusAnswered: resultsOf("refund-status"),
    CheckFailed: happened("check-failed"),
    UnreadableOrder: happened("item-unreadable"),
    NewerOrder: happened("item-newer"),
    MerchantNotConfigured: happened("not-configured"),
    SetAside: happened("set-aside"),
    Unresolved: happened("unresolved"),
  };
  const isUsable = Object.values(unusable).every((count) => count === 0);
  const written = Object.entries(counts).filter(([, count]) => count > 0);
  // The alarm adds the three metrics, and in CloudWatch a sum with a metric that never had data has no value.
  return { ...Object.fromEntries(written), ...(!isUsable && unusable) };
}
