import { PaycastError } from "../errors/paycast-error.ts";
import { codeForLog } from "../gateway/gateway-error.ts";
import type { Order } from "../orders/order.ts";
import {
  errorFields,
  type LogFields,
  type Metrics,
  type WriteLine,
} from "../telemetry/log-line.ts";
import type { Result } from "./check-order.ts";
import type { DueEntry } from "./find-due.ts";

/**
 * How a run ended. `reconciled`: as usual. `ended-by-failures`: too many failures in a row. `failed`: the lease or the
 * index could not be read. `lease-held`: another run was active.
 */
export type RunEnd = "reconciled" | "ended-by-failures" | "failed" | "lease-held";

/** The progress of one run. */
export interface Run {
  readonly startedAtMilliseconds: number;
  /** How long the oldest due order has been due. Undefined until the index was read. */
  oldestDueMilliseconds?: number;
  /** Entries that were read from the index. */
  walked: number;
  /** Entries whose order was read. */
  loaded: number;
  /** The result of each query. */
  readonly results: Result["kind"][];
  /** The number of results with news, by merchant. */
  readonly newsByMerchant: Map<string, number>;
  /** Entries that failed for another reason than a query. */
  failedEntries: number;
  failuresInARow: number;
  /** Items that cannot be read as an order. */
  unreadableItems: number;
  /** Orders of merchants that are no longer configured. */
  notConfigured: number;
  /** Orders that were postponed without a query, because their merchant's keys cannot be used. */
  setAside: number;
  unresolved: number;
  /** Merchants whose keys cannot be used. Their orders are postponed. */
  readonly merchantsWithoutKeys: Set<string>;
  /** Merchants with a failed query. Their other orders wait until the other merchants' orders are checked. */
  readonly failingMerchants: Set<string>;
  /** The first error of the run. The others are only counted. */
  firstError?: unknown;
  /** The keys of orders that an operator may want to inspect. */
  readonly troubledKeys: string[];
}

export function newRun(startedAtMilliseconds: number): Run {
  return {
    startedAtMilliseconds,
    walked: 0,
    loaded: 0,
    results: [],
    newsByMerchant: new Map(),
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

/** Enough to start with. The metrics have the number. */
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

/**
 * One line for each merchant whose orders had news, because a line has one merchant. The alarm on missing callbacks
 * compares it with what receive-callback counts. If no callback ever arrived, those metrics have no data and the alarm
 * would stay silent. So the line writes metrics of receive-callback, with a 0 for each.
 */
export function writeNews({ newsByMerchant }: Run, logAsReceiver: WriteLine): void {
  for (const [merchantId, count] of newsByMerchant) {
    const none = { Accepted: 0, VerifiedByCurrent: 0, OutdatedKeys: 0 };
    logAsReceiver({ outcome: "merchant-news", merchantId }, { MissingCallback: count, ...none });
  }
}

/** A 0 is written too, because missing data means that the schedule does not run. */
function oldestDue({ oldestDueMilliseconds: oldest }: Run): Metrics {
  return oldest === undefined ? {} : { OldestDueSeconds: Math.round(oldest / 1000) };
}

/** Zeros are omitted, unless another metric of the same alarm is written. */
function countsOf(run: Run): Metrics {
  const resultsOf = (kind: Result["kind"]) =>
    run.results.filter((result) => result === kind).length;
  const unusable = {
    ServiceRefused: resultsOf("refused"),
    UnreadableAnswer: resultsOf("unreadable"),
    QueryFailed: resultsOf("failed"),
  };
  const counts = {
    Asked: run.results.length,
    Answered: run.results.length - resultsOf("failed"),
    News: resultsOf("news"),
    RefundStatusAnswered: resultsOf("refund-status"),
    CheckFailed: run.failedEntries,
    UnreadableOrder: run.unreadableItems,
    MerchantNotConfigured: run.notConfigured,
    SetAside: run.setAside,
    Unresolved: run.unresolved,
  };
  const isUsable = Object.values(unusable).every((count) => count === 0);
  const written = Object.entries(counts).filter(([, count]) => count > 0);
  // The alarm adds the three metrics, and in CloudWatch a sum with a metric that never had data has no value.
  return { ...Object.fromEntries(written), ...(!isUsable && unusable) };
}

/** Adds the result of each query about an order to the run. */
export function noteResult({ aggregateKey, merchantId }: Order, run: Run) {
  return (result: Result): void => {
    run.results.push(result.kind);
    if (result.kind === "news") {
      run.newsByMerchant.set(merchantId, (run.newsByMerchant.get(merchantId) ?? 0) + 1);
    }
    if ("error" in result) noteTrouble(result.error, aggregateKey, run);
    if (result.kind === "failed") noteFailedQuestion(result.error, merchantId, run);
    else run.failuresInARow = 0;
  };
}

/** An error of one merchant's keys says nothing about the service, so it must not end the run for the others. */
function noteFailedQuestion(error: unknown, merchantId: string, run: Run): void {
  if (isAboutKeys(error)) {
    run.merchantsWithoutKeys.add(merchantId);
  } else if (mayPass(error)) {
    run.failuresInARow += 1;
    run.failingMerchants.add(merchantId);
  }
}

/** An entry failed: the table failed, or the item is too large for it. */
export function noteFailedEntry(error: unknown, { aggregateKey }: DueEntry, run: Run): void {
  run.failedEntries += 1;
  if (mayPass(error)) run.failuresInARow += 1;
  noteTrouble(error, aggregateKey, run);
}

export function noteUnreadable({ aggregateKey }: DueEntry, run: Run): void {
  run.unreadableItems += 1;
  run.troubledKeys.push(aggregateKey);
}

export function countUnresolved(before: Order, after: Order, run: Run): void {
  const isNew = after.flags.includes("unresolved") && !before.flags.includes("unresolved");
  if (!isNew) return;
  run.unresolved += 1;
  // First, because its alarm sends the operator to this line.
  run.troubledKeys.unshift(after.aggregateKey);
}

function noteTrouble(error: unknown, aggregateKey: string, run: Run): void {
  run.firstError ??= error;
  run.troubledKeys.push(aggregateKey);
}

/** An error that no retry fixes, such as an item that is too large, says nothing about the service. */
function mayPass(error: unknown): boolean {
  return !(error instanceof PaycastError) || error.retryable;
}

function isAboutKeys(error: unknown): boolean {
  return error instanceof PaycastError && /^(keys|profile)-/.test(error.code);
}
