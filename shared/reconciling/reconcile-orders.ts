import { PaycastError } from "../errors/paycast-error.ts";
import { countFailure } from "../orders/due.ts";
import type { Order } from "../orders/order.ts";
import type { WriteLine } from "../telemetry/log-line.ts";
import { earlyQuestionPatienceMilliseconds, questionEveryMilliseconds } from "../timing.ts";
import type { Result } from "./check-findings.ts";
import {
  askEarly,
  type CheckOrder,
  checkOrder,
  withoutKeys,
  withoutQuestion,
} from "./check-order.ts";
import { createLine, type DueEntry, type DueRange, fromEnd, merchantIdOf } from "./due-line.ts";
import type { Journal, What } from "./run-journal.ts";
import { describeRun, type RunEnd } from "./run-line.ts";
import {
  healthAfter,
  isDown,
  nextEnd,
  type ServiceHealth,
  unknownHealth,
} from "./service-health.ts";

export interface ReconcileOrders extends CheckOrder {
  readonly merchantIds: readonly string[];
  /** False while another run is active. */
  readonly takeLease: () => Promise<boolean>;
  readonly findDue: (range: DueRange) => AsyncIterable<DueEntry>;
  /** The order, or undefined if its item cannot be read. */
  readonly loadOrder: (aggregateKey: string) => Promise<Order | undefined>;
  readonly log: WriteLine;
}

/** Limits the orders that a run reads: those that cannot be queried cost no query. */
const mostLoaded = 1_000;
/** The same for entries that are only read from the index, 25 with one call. */
const mostWalked = 10_000;
const postponedAtOnce = 20;

/** Something with the key of an order. */
type Subject = Pick<DueEntry, "aggregateKey">;

interface Run {
  readonly deps: ReconcileOrders;
  readonly journal: Journal;
  health: ServiceHealth;
  /** Orders that were read. */
  loaded: number;
  /** Orders without a response, until the run knows whether the service is down. */
  unanswered: Order[];
  readonly withoutKeys: DueEntry[];
}

/** One run: checks the due orders at a constant rate, and writes one log line. */
export async function reconcileOrders(deps: ReconcileOrders): Promise<void> {
  const run: Run = {
    deps,
    journal: { startedAtMilliseconds: deps.now(), happenings: [] },
    health: unknownHealth,
    loaded: 0,
    unanswered: [],
    withoutKeys: [],
  };
  const write = (outcome: RunEnd, error?: unknown) => {
    deps.log(...describeRun(run.journal, outcome, deps.now(), error));
  };
  try {
    if (!(await deps.takeLease())) return write("lease-held");
    await checkDueOrders(run);
    await askYoungOrders(run);
    await postponeOrders(run);
    write(isDown(run.health) ? "ended-by-failures" : "reconciled");
  } catch (error) {
    write("failed", error);
  }
}

/** One merchant's failures must not delay the others: after a failed query its other orders come last. */
async function checkDueOrders(run: Run): Promise<void> {
  const { deps, journal } = run;
  const until = journal.startedAtMilliseconds;
  const line = createLine((end) => deps.findDue({ line: "due", from: 0, until, end }));
  const waiting: DueEntry[] = [];
  for (let walked = 0; walked < mostWalked; walked += 1) {
    // While it looks for another merchant's orders, it goes from the front of the line to its end.
    const entry = await line.next(waiting.length > 0 ? "oldest" : nextEnd(run.health));
    journal.oldestDueMilliseconds ??= until - (entry?.dueAtMilliseconds ?? until);
    if (entry === undefined || isOver(run)) break;
    if (hasNoKeys(entry, run)) run.withoutKeys.push(entry);
    else if (!comesLast(entry, run)) await checkEntry(entry, run);
    else waiting.push(entry);
  }
  await checkWaiting(waiting, run);
}

async function checkWaiting(waiting: readonly DueEntry[], run: Run): Promise<void> {
  const line = createLine((end) => fromEnd(waiting, end));
  for (let left = waiting.length; left > 0 && !isOver(run); left -= 1) {
    const entry = await line.next(nextEnd(run.health));
    if (entry === undefined) break;
    if (hasNoKeys(entry, run)) run.withoutKeys.push(entry);
    else await checkEntry(entry, run);
  }
}

/** With the time that the due orders leave. An order whose turn does not come waits for its first check. */
async function askYoungOrders(run: Run): Promise<void> {
  const { deps, journal } = run;
  const until = journal.startedAtMilliseconds;
  const from = until - earlyQuestionPatienceMilliseconds;
  for await (const entry of deps.findDue({ line: "early", from, until, end: "oldest" })) {
    if (isOver(run)) break;
    if (!isConfigured(entry, run) || hasNoKeys(entry, run)) continue;
    run.loaded += 1;
    await withOrder(entry, run, async (order) => {
      if (order.earlyAtMilliseconds !== undefined) await askEarly(order, ...checking(order, run));
    });
  }
}

/**
 * Orders of a merchant whose keys cannot be used are postponed, so that they do not stay at the front of the line. A few
 * at a time, because there may be thousands. The next run takes those that this run has no time for.
 */
async function postponeOrders(run: Run): Promise<void> {
  const { deps, journal } = run;
  const postpone = async (order: Order) => {
    if (!isDue(order, run)) return;
    const later = withoutKeys(order, journal.startedAtMilliseconds, deps.random());
    if ((await deps.saveOrder(later, order)) === undefined) return;
    note(order, { kind: "set-aside" }, run);
    noteUnresolved(order, later, run);
  };
  for (let from = 0; from < run.withoutKeys.length; from += postponedAtOnce) {
    if (isDown(run.health) || !deps.hasTimeToAsk()) break;
    const few = run.withoutKeys.slice(from, from + postponedAtOnce);
    await Promise.all(few.map((entry) => withOrder(entry, run, postpone)));
  }
}

async function checkEntry(entry: DueEntry, run: Run): Promise<void> {
  run.loaded += 1;
  await withOrder(entry, run, async (order) => {
    if (!isDue(order, run)) return;
    await (isConfigured(order, run) ? check(order, run) : moveOn(order, run));
  });
}

/** An error with one entry does not stop the run. */
async function withOrder(
  entry: DueEntry,
  run: Run,
  act: (order: Order) => Promise<void>,
): Promise<void> {
  try {
    const order = await run.deps.loadOrder(entry.aggregateKey);
    if (order === undefined) note(entry, { kind: "item-unreadable" }, run);
    else await act(order);
  } catch (error) {
    const isNewer = error instanceof PaycastError && error.code === "item-newer";
    note(entry, isNewer ? { kind: "item-newer" } : { kind: "check-failed", error }, run);
  }
}

/** The index is a moment behind its table, so the order may have been settled since. */
function isDue({ dueAtMilliseconds }: Order, { journal }: Run): boolean {
  return dueAtMilliseconds !== undefined && dueAtMilliseconds <= journal.startedAtMilliseconds;
}

async function check(order: Order, run: Run): Promise<void> {
  const checked = await checkOrder(order, ...checking(order, run));
  noteUnresolved(order, checked.order, run);
  const isDueAgain = checked.order.dueAtMilliseconds !== undefined;
  if (checked.hasFailed && isDueAgain) run.unanswered.push(checked.order);
  if (run.health.isResponding) await countFailures(run);
}

/** The limits of the run also apply between the payments of one order. */
function checking(order: Order, run: Run): [CheckOrder, (result: Result) => void] {
  const hasTimeToAsk = () =>
    run.deps.hasTimeToAsk() && !isDown(run.health) && !hasNoKeys(order, run);
  return [{ ...run.deps, hasTimeToAsk }, (result) => note(order, { kind: "asked", result }, run)];
}

/** Only if the service responds to others: an outage must not delay the check of every order that it met. */
async function countFailures(run: Run): Promise<void> {
  const { unanswered } = run;
  run.unanswered = [];
  for (const order of unanswered) await run.deps.saveOrder(countFailure(order), order);
}

/** An order of a removed merchant cannot be queried. */
async function moveOn(order: Order, run: Run): Promise<void> {
  const { deps, journal } = run;
  note(order, { kind: "not-configured" }, run);
  const moved = withoutQuestion(order, journal.startedAtMilliseconds, deps.random());
  if ((await deps.saveOrder(moved, order)) !== undefined) noteUnresolved(order, moved, run);
}

function isOver({ deps, health, loaded }: Run): boolean {
  return isDown(health) || loaded >= mostLoaded || !deps.hasTimeToAsk();
}

function hasNoKeys(entry: Subject, { health }: Run): boolean {
  return health.merchantsWithoutKeys.has(merchantIdOf(entry));
}

function isConfigured(entry: Subject, { deps }: Run): boolean {
  return deps.merchantIds.includes(merchantIdOf(entry));
}

/** If every merchant failed, none is postponed. */
function comesLast(entry: Subject, { deps, health }: Run): boolean {
  const { failingMerchants, merchantsWithoutKeys } = health;
  if (!failingMerchants.has(merchantIdOf(entry))) return false;
  return deps.merchantIds.some((id) => !failingMerchants.has(id) && !merchantsWithoutKeys.has(id));
}

function note({ aggregateKey }: Subject, what: What, run: Run): void {
  const happening = { ...what, aggregateKey, merchantId: merchantIdOf({ aggregateKey }) };
  run.journal.happenings.push(happening);
  run.health = healthAfter(run.health, happening);
}

function noteUnresolved(before: Order, after: Order, run: Run): void {
  const isNew = after.flags.includes("unresolved") && !before.flags.includes("unresolved");
  if (isNew) note(after, { kind: "unresolved" }, run);
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
