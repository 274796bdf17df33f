import type { Order } from "../orders/order.ts";
import type { WriteLine } from "../telemetry/log-line.ts";
import { questionEveryMilliseconds } from "../timing.ts";
import { afterFailure, type CheckOrder, checkOrder, withoutQuestion } from "./check-order.ts";
import { type DueEntry, merchantIdOf } from "./find-due.ts";
import {
  countUnresolved,
  describeRun,
  newRun,
  noteFailedEntry,
  noteResult,
  noteUnreadable,
  type Run,
  type RunEnd,
  writeNews,
} from "./run-line.ts";

export interface ReconcileOrders extends CheckOrder {
  readonly merchantIds: readonly string[];
  /** False while another run is active. */
  readonly takeLease: () => Promise<boolean>;
  /** The due orders, oldest first. */
  readonly findDue: (untilMilliseconds: number) => AsyncIterable<DueEntry>;
  /** The order, or undefined if its item cannot be read. */
  readonly loadOrder: (aggregateKey: string) => Promise<Order | undefined>;
  readonly log: WriteLine;
  /** Writes metrics of receive-callback. */
  readonly logAsReceiver: WriteLine;
}

/** After this many failures in a row the service is probably down. The next run tries again. */
const mostFailuresInARow = 5;
/** Limits the orders that a run reads: those that cannot be queried cost no query. */
const mostLoaded = 1_000;
/** The same for entries that are only read from the index, 25 with one call. */
const mostWalked = 10_000;
/** More than a run can query. The next run takes the rest. */
const mostWaiting = 200;
const postponedAtOnce = 20;

/** One run: checks the due orders, oldest first, at a constant rate, and writes one log line. */
export async function reconcileOrders(deps: ReconcileOrders): Promise<void> {
  const run = newRun(deps.now());
  const write = (outcome: RunEnd) => {
    writeNews(run, deps.logAsReceiver);
    deps.log(...describeRun(run, outcome, deps.now()));
  };
  try {
    if (!(await deps.takeLease())) return write("lease-held");
    await checkDueOrders(run, deps);
    write(hasFailedTooOften(run) ? "ended-by-failures" : "reconciled");
  } catch (error) {
    run.firstError ??= error;
    write("failed");
  }
}

/**
 * One merchant's failures must not delay the others: after a failed query its other orders come last. Orders of a
 * merchant whose keys cannot be used are postponed at the end.
 */
async function checkDueOrders(run: Run, deps: ReconcileOrders): Promise<void> {
  const waiting: DueEntry[] = [];
  const withoutKeys: DueEntry[] = [];
  for await (const entry of deps.findDue(run.startedAtMilliseconds)) {
    run.oldestDueMilliseconds ??= run.startedAtMilliseconds - entry.dueAtMilliseconds;
    if (isOver(run, deps) || run.walked >= mostWalked) break;
    run.walked += 1;
    if (hasNoKeys(entry, run)) withoutKeys.push(entry);
    else if (!comesLast(entry, run, deps)) await checkEntry(entry, run, deps);
    else if (waiting.length < mostWaiting) waiting.push(entry);
  }
  run.oldestDueMilliseconds ??= 0;
  for (const entry of waiting) {
    if (isOver(run, deps)) break;
    if (hasNoKeys(entry, run)) withoutKeys.push(entry);
    else await checkEntry(entry, run, deps);
  }
  await postponeOrders(withoutKeys, run, deps);
}

/** A few at a time, because there may be thousands. The next run takes those that this run has no time for. */
async function postponeOrders(
  entries: readonly DueEntry[],
  run: Run,
  deps: ReconcileOrders,
): Promise<void> {
  for (let from = 0; from < entries.length; from += postponedAtOnce) {
    if (hasFailedTooOften(run) || !deps.hasTimeToAsk()) break;
    const few = entries.slice(from, from + postponedAtOnce);
    const postpone = (order: Order) => postponeOrder(order, run, deps);
    await Promise.all(few.map((entry) => withOrder(entry, run, deps, postpone)));
  }
}

/** Sets the next check as after a failed query, so that the order does not block the others. */
async function postponeOrder(order: Order, run: Run, deps: ReconcileOrders): Promise<void> {
  const later = afterFailure(order, run.startedAtMilliseconds, deps.random());
  if ((await deps.saveOrder(later, order)) === undefined) return;
  run.setAside += 1;
  countUnresolved(order, later, run);
}

function hasNoKeys(entry: DueEntry, { merchantsWithoutKeys }: Run): boolean {
  return merchantsWithoutKeys.has(merchantIdOf(entry));
}

function isOver(run: Run, deps: ReconcileOrders): boolean {
  return hasFailedTooOften(run) || run.loaded >= mostLoaded || !deps.hasTimeToAsk();
}

function hasFailedTooOften({ failuresInARow }: Run): boolean {
  return failuresInARow >= mostFailuresInARow;
}

/** If every merchant failed, none is postponed. */
function comesLast(entry: DueEntry, run: Run, { merchantIds }: ReconcileOrders): boolean {
  if (!run.failingMerchants.has(merchantIdOf(entry))) return false;
  return merchantIds.some(
    (id) => !run.failingMerchants.has(id) && !run.merchantsWithoutKeys.has(id),
  );
}

async function checkEntry(entry: DueEntry, run: Run, deps: ReconcileOrders): Promise<void> {
  run.loaded += 1;
  await withOrder(entry, run, deps, (order) => checkOrMoveOn(order, run, deps));
}

/** An error with one entry does not stop the run. */
async function withOrder(
  entry: DueEntry,
  run: Run,
  deps: ReconcileOrders,
  act: (order: Order) => Promise<void>,
): Promise<void> {
  try {
    const order = await deps.loadOrder(entry.aggregateKey);
    if (order === undefined) noteUnreadable(entry, run);
    else if (isDue(order, run)) await act(order);
  } catch (error) {
    noteFailedEntry(error, entry, run);
  }
}

/** The index is a moment behind its table, so the order may have been settled since. */
function isDue({ dueAtMilliseconds }: Order, { startedAtMilliseconds }: Run): boolean {
  return dueAtMilliseconds !== undefined && dueAtMilliseconds <= startedAtMilliseconds;
}

async function checkOrMoveOn(order: Order, run: Run, deps: ReconcileOrders): Promise<void> {
  const isConfigured = deps.merchantIds.includes(order.merchantId);
  await (isConfigured ? check(order, run, deps) : moveOn(order, run, deps));
}

async function check(order: Order, run: Run, deps: ReconcileOrders): Promise<void> {
  // The limits of the run also apply between the payments of one order.
  const hasTimeToAsk = () =>
    deps.hasTimeToAsk() &&
    !hasFailedTooOften(run) &&
    !run.merchantsWithoutKeys.has(order.merchantId);
  const note = noteResult(order, run);
  const checked = await checkOrder(order, { ...deps, hasTimeToAsk }, note);
  countUnresolved(order, checked, run);
}

/** An order of a removed merchant cannot be queried. */
async function moveOn(order: Order, run: Run, deps: ReconcileOrders): Promise<void> {
  run.notConfigured += 1;
  const moved = withoutQuestion(order, run.startedAtMilliseconds, deps.random());
  if ((await deps.saveOrder(moved, order)) !== undefined) countUnresolved(order, moved, run);
}

/** Limits queries to a constant rate. */
export function createPace(
  now: () => number,
  pause: (milliseconds: number) => Promise<unknown>,
): () => Promise<void> {
  let nextAt = Number.NEGATIVE_INFINITY;
  return async () => {
    // If the clock is set back, the wait is still not longer than one interval.
    const wait = Math.min(nextAt - now(), questionEveryMilliseconds);
    if (wait > 0) await pause(wait);
    nextAt = now() + questionEveryMilliseconds;
  };
}
