import type { Reply } from "../asking/ask-payment.ts";
import { GatewayError } from "../gateway/gateway-error.ts";
import { errorFields, type LogFields, type Metrics } from "../telemetry/log-line.ts";

/** What one run has done so far. */
export interface Run {
  readonly startedAtMilliseconds: number;
  /** How long the order that waits longest has been due. Undefined until the index was read. */
  oldestDueMilliseconds?: number;
  /** Index entries whose order was read. */
  lookedAt: number;
  readonly replies: Reply["kind"][];
  failures: number;
  failuresInARow: number;
  /** Items that cannot be read as an order. */
  unreadableItems: number;
  /** Orders of merchants that are not configured any more. */
  notConfigured: number;
  unresolved: number;
  /** Merchants whose keys cannot be used: their orders are left alone. */
  readonly merchantsWithoutKeys: Set<string>;
  /** The first error of the run; the others are only counted. */
  firstError?: unknown;
  /** The keys of orders that a person may want to look at. */
  readonly troubledKeys: string[];
}

export function newRun(startedAtMilliseconds: number): Run {
  return {
    startedAtMilliseconds,
    lookedAt: 0,
    replies: [],
    failures: 0,
    failuresInARow: 0,
    unreadableItems: 0,
    notConfigured: 0,
    unresolved: 0,
    merchantsWithoutKeys: new Set(),
    troubledKeys: [],
  };
}

/** Enough to begin with; the metrics have the number. */
const mostKeysInLine = 5;

/** One line per run, however many orders were checked or failed. */
export function describeRun(
  run: Run,
  outcome: string,
  nowMilliseconds: number,
): [fields: LogFields, metrics: Metrics] {
  const { firstError, startedAtMilliseconds } = run;
  const keys = [...new Set(run.troubledKeys)].slice(0, mostKeysInLine);
  const fields = {
    outcome,
    ...(firstError !== undefined && errorFields(firstError)),
    serviceCode: serviceCodeOf(firstError),
    aggregateKeys: keys.length === 0 ? undefined : keys,
    durationMilliseconds: nowMilliseconds - startedAtMilliseconds,
  };
  return [fields, { ...oldestDue(run), ...countsOf(run) }];
}

function serviceCodeOf(error: unknown): string | undefined {
  return error instanceof GatewayError ? error.refusal?.code.slice(0, 40) : undefined;
}

/** Also 0 is written, because silence means that the schedule does not run. */
function oldestDue({ oldestDueMilliseconds: oldest }: Run): Metrics {
  return oldest === undefined ? {} : { OldestDueSeconds: Math.round(oldest / 1000) };
}

/** Counts of 0 are left out. */
function countsOf(run: Run): Metrics {
  const repliesOf = (kind: Reply["kind"]) => run.replies.filter((reply) => reply === kind).length;
  const counts = {
    Answered: run.replies.length,
    News: repliesOf("news"),
    ServiceRefused: repliesOf("refused"),
    RefundStatusAnswered: repliesOf("refund-status"),
    UnreadableAnswer: repliesOf("unreadable"),
    QueryFailed: run.failures,
    UnreadableOrder: run.unreadableItems,
    MerchantNotConfigured: run.notConfigured,
    Unresolved: run.unresolved,
  };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}
