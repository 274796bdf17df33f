import { codeForLog } from "../gateway/gateway-error.ts";
import { errorFields, type LogFields, type Metrics } from "../telemetry/log-line.ts";
import type { Result } from "./after-questions.ts";

/**
 * How a run ended. `reconciled`: as it should. `ended-by-failures`: too many failures in a row. `failed`: the lease or
 * the index could not be read. `lease-held`: another run was under way.
 */
export type RunEnd = "reconciled" | "ended-by-failures" | "failed" | "lease-held";

/** What one run has done so far. */
export interface Run {
  readonly startedAtMilliseconds: number;
  /** How long the order that waits longest has been due. Undefined until the index was read. */
  oldestDueMilliseconds?: number;
  /** Entries that were read from the index. */
  walked: number;
  /** Entries whose order was read. */
  lookedAt: number;
  /** The result of each question. */
  readonly results: Result["kind"][];
  /** Entries that were not finished because of anything else than a question. */
  failedEntries: number;
  failuresInARow: number;
  /** Items that cannot be read as an order. */
  unreadableItems: number;
  /** Orders of merchants that are not configured any more. */
  notConfigured: number;
  /** Orders that were set aside without a question, because the keys of their merchant cannot be used. */
  setAside: number;
  unresolved: number;
  /** Merchants whose keys cannot be used: their orders are set aside. */
  readonly merchantsWithoutKeys: Set<string>;
  /** Merchants with a question that failed: their other orders wait until the other merchants had their turn. */
  readonly failingMerchants: Set<string>;
  /** The first error of the run; the others are only counted. */
  firstError?: unknown;
  /** The keys of orders that a person may want to look at. */
  readonly troubledKeys: string[];
}

export function newRun(startedAtMilliseconds: number): Run {
  return {
    startedAtMilliseconds,
    walked: 0,
    lookedAt: 0,
    results: [],
    failedEntries: 0,
    failuresInARow: 0,
    unreadableItems: 0,
    notConfigured: 0,
    setAside: 0,
    unresolved: 0,
    merchantsWithoutKeys: new Set(),
    failingMerchants: new Set(),
    troubledKeys: [],
  };
}

/** Enough to begin with; the metrics have the number. */
const mostKeysInLine = 5;

/** One line per run, however many orders were checked or failed. */
export function describeRun(
  run: Run,
  outcome: RunEnd,
  nowMilliseconds: number,
): [fields: LogFields, metrics: Metrics] {
  const { firstError, startedAtMilliseconds } = run;
  const keys = [...new Set(run.troubledKeys)].slice(0, mostKeysInLine);
  const fields = {
    outcome,
    ...(firstError !== undefined && errorFields(firstError)),
    serviceCode: codeForLog(firstError),
    aggregateKeys: keys.length === 0 ? undefined : keys,
    durationMilliseconds: nowMilliseconds - startedAtMilliseconds,
  };
  return [fields, { ...oldestDue(run), ...countsOf(run) }];
}

/** Also 0 is written, because silence means that the schedule does not run. */
function oldestDue({ oldestDueMilliseconds: oldest }: Run): Metrics {
  return oldest === undefined ? {} : { OldestDueSeconds: Math.round(oldest / 1000) };
}

/** Counts of 0 are left out. */
function countsOf(run: Run): Metrics {
  const resultsOf = (kind: Result["kind"]) =>
    run.results.filter((result) => result === kind).length;
  const counts = {
    Asked: run.results.length,
    Answered: run.results.length - resultsOf("failed"),
    News: resultsOf("news"),
    ServiceRefused: resultsOf("refused"),
    RefundStatusAnswered: resultsOf("refund-status"),
    UnreadableAnswer: resultsOf("unreadable"),
    QueryFailed: resultsOf("failed"),
    CheckFailed: run.failedEntries,
    UnreadableOrder: run.unreadableItems,
    MerchantNotConfigured: run.notConfigured,
    SetAside: run.setAside,
    Unresolved: run.unresolved,
  };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}
