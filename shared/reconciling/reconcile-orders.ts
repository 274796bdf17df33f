import { dueAfterAnswer } from "../orders/due.ts";
import type { Order } from "../orders/order.ts";
import { PaycastError } from "../paycast-error.ts";
import type { WriteLine } from "../telemetry/log-line.ts";
import { type Check, type CheckOrder, checkOrder } from "./check-order.ts";
import type { DueEntry } from "./find-due.ts";
import { describeRun, newRun, type Run } from "./run-line.ts";

export interface ReconcileOrders extends CheckOrder {
  readonly merchantIds: readonly string[];
  /** False while another run is under way. */
  readonly takeLease: () => Promise<boolean>;
  /** The orders that are due, oldest first. */
  readonly findDue: (untilMilliseconds: number) => AsyncIterable<DueEntry>;
  /** The order, or undefined if its item cannot be read. */
  readonly loadOrder: (aggregateKey: string) => Promise<Order | undefined>;
  readonly log: WriteLine;
}

/** After this many failures in a row the service is probably down, and the next run tries again. */
const mostFailuresInARow = 5;
/** Orders that cannot be asked about cost no question. The limit keeps the reads of a run small all the same. */
const mostLookedAt = 1_000;

/** One run: checks the orders that are due, oldest first, at a constant rate, and writes one line. */
export async function reconcileOrders(deps: ReconcileOrders): Promise<void> {
  const run = newRun(deps.now());
  const write = (outcome: string) => deps.log(...describeRun(run, outcome, deps.now()));
  try {
    if (!(await deps.takeLease())) return write("lease-held");
    await checkDueOrders(run, deps);
    write(hasFailedTooOften(run) ? "ended-by-failures" : "reconciled");
  } catch (error) {
    run.firstError ??= error;
    write("failed");
  }
}

async function checkDueOrders(run: Run, deps: ReconcileOrders): Promise<void> {
  for await (const entry of deps.findDue(run.startedAtMilliseconds)) {
    run.oldestDueMilliseconds ??= run.startedAtMilliseconds - entry.dueAtMilliseconds;
    if (isOver(run, deps)) break;
    run.lookedAt += 1;
    await checkEntry(entry, run, deps);
  }
  run.oldestDueMilliseconds ??= 0;
}

function isOver(run: Run, deps: ReconcileOrders): boolean {
  return hasFailedTooOften(run) || run.lookedAt >= mostLookedAt || !deps.hasTimeToAsk();
}

function hasFailedTooOften({ failuresInARow }: Run): boolean {
  return failuresInARow >= mostFailuresInARow;
}

async function checkEntry(entry: DueEntry, run: Run, deps: ReconcileOrders): Promise<void> {
  const order = await deps.loadOrder(entry.aggregateKey);
  if (order === undefined) {
    run.unreadableItems += 1;
    run.troubledKeys.push(entry.aggregateKey);
  } else if (isDue(order, run) && !run.merchantsWithoutKeys.has(order.merchantId)) {
    const isConfigured = deps.merchantIds.includes(order.merchantId);
    await (isConfigured ? check(order, run, deps) : moveOn(order, run, deps));
  }
}

/** An index is a moment behind its table: the order may have been settled since. */
function isDue({ dueAtMilliseconds }: Order, { startedAtMilliseconds }: Run): boolean {
  return dueAtMilliseconds !== undefined && dueAtMilliseconds <= startedAtMilliseconds;
}

async function check(order: Order, run: Run, deps: ReconcileOrders): Promise<void> {
  const checked = await checkOrder(order, deps);
  run.replies.push(...checked.replies.map(({ kind }) => kind));
  if (checked.replies.length > 0) run.failuresInARow = 0;
  if (checked.kind === "failed") noteFailure(checked.error, order, run);
  noteBadAnswer(checked, order, run);
  const hasNews = checked.replies.some(({ kind }) => kind === "news");
  if (!hasNews) countUnresolved(order, checked.order, run);
}

function noteFailure(error: unknown, { aggregateKey, merchantId }: Order, run: Run): void {
  run.failures += 1;
  if (mayPass(error)) run.failuresInARow += 1;
  run.firstError ??= error;
  run.troubledKeys.push(aggregateKey);
  if (isAboutKeys(error)) run.merchantsWithoutKeys.add(merchantId);
}

function noteBadAnswer({ replies }: Check, { aggregateKey }: Order, run: Run): void {
  const bad = replies.find((reply) => "error" in reply);
  if (bad === undefined) return;
  run.firstError ??= bad.error;
  run.troubledKeys.push(aggregateKey);
}

/** An error that no retry fixes, such as an item that is too large, says nothing about the service. */
function mayPass(error: unknown): boolean {
  return !(error instanceof PaycastError) || error.retryable;
}

/** One merchant's keys must not end the run for the others. */
function isAboutKeys(error: unknown): boolean {
  return error instanceof PaycastError && /^(keys|profile)-/.test(error.code);
}

/** Nobody can ask about an order of a merchant that was removed, so it waits for the usual time and ends unresolved. */
async function moveOn(order: Order, run: Run, deps: ReconcileOrders): Promise<void> {
  run.notConfigured += 1;
  const moved = dueAfterAnswer(order, run.startedAtMilliseconds);
  if ((await deps.saveOrder(moved)) !== undefined) countUnresolved(order, moved, run);
}

function countUnresolved(before: Order, after: Order, run: Run): void {
  const isNew = after.flags.includes("unresolved") && !before.flags.includes("unresolved");
  if (!isNew) return;
  run.unresolved += 1;
  // First, because its alarm sends a person to this line.
  run.troubledKeys.unshift(after.aggregateKey);
}
