import { type AskPayment, askPayment } from "../asking/ask-payment.ts";
import { isPaid } from "../facts/event-types.ts";
import {
  countFailure,
  dueAfterAnswer,
  dueAfterFailure,
  endRepeats,
  isOpen,
} from "../orders/due.ts";
import type { Order } from "../orders/order.ts";
import { moveState } from "../orders/order-moves.ts";
import type { Payment } from "../orders/payment.ts";
import { claimCheck, renewClaim } from "../orders/question.ts";
import { noteRefundAnswer, noteUnpaid } from "../orders/unpaid-refund.ts";
import {
  type Finding,
  findingOf,
  learnFrom,
  noteResults,
  type Result,
  statesStatus,
} from "./check-findings.ts";

export interface CheckOrder extends AskPayment {
  /**
   * Replaces the stored order, in one transaction with the notices that open or close with it. Returns the order with
   * its new revision, or undefined if another writer was first.
   */
  readonly saveOrder: (order: Order, stored: Order) => Promise<Order | undefined>;
  /** Whether a query that starts now can end within the function's time. */
  readonly hasTimeToAsk: () => boolean;
  /** Waits until the next query may be sent. */
  readonly waitForTurn: () => Promise<void>;
}

/** A check after its queries. */
export interface CheckEnd {
  /** The order as it is stored. */
  readonly order: Order;
  /** Whether a query had no response. The run counts the failure when it knows that the service responds to others. */
  readonly hasFailed: boolean;
}

/** A running check. */
interface Check {
  /** As it is stored. */
  order: Order;
  readonly results: Result[];
  readonly note: (result: Result) => void;
}

/**
 * Queries the service about every payment of a due order, and sets the order's next check. `note` gets the result of
 * each query immediately. If another caller or the end of the time stops the check, a later run continues. Throws if
 * the table fails.
 */
export async function checkOrder(
  due: Order,
  deps: CheckOrder,
  note: (result: Result) => void,
): Promise<CheckEnd> {
  const check: Check = { order: due, results: [], note };
  // As if the check had failed: a crash or a lost race then needs no further write.
  const isClaimed = await claim(check, deps, dueAfterFailure);
  const payments = isClaimed ? await deps.loadPayments(due) : [];
  const withPayments = { ...deps, loadPayments: async () => payments };
  const isComplete = isClaimed && (await askAll(check, withPayments));
  const found = new Set(check.results.map((result) => findingOf(due, result)));
  if (isComplete || found.has("failed")) {
    const next = afterCheck(check, found, payments, deps.now());
    if (next !== check.order) await save(next, check, deps);
  }
  return { order: check.order, hasFailed: found.has("failed") && !found.has("ends") };
}

/**
 * The same for an early query. It changes nothing about the order's checks: whatever it finds, the first check comes
 * when it is due. Only a refund makes the order due at once.
 */
export async function askEarly(
  order: Order,
  deps: CheckOrder,
  note: (result: Result) => void,
): Promise<void> {
  const check: Check = { order, results: [], note };
  const isClaimed = await claim(check, deps, (claimed) => ({
    ...claimed,
    earlyAtMilliseconds: undefined,
  }));
  if (!isClaimed || !(await askAll(check, deps))) return;
  const { results } = check;
  if (results.every((result) => findingOf(order, result) === "answers")) {
    const learned = noteRefundAnswer(
      check.order,
      learnFrom(check.results, check.order),
      deps.now(),
    );
    await save(noteResults(learned, results, deps.now()), check, deps);
  }
}

/** False if another caller holds the claim or was first to write. */
async function claim(
  check: Check,
  deps: CheckOrder,
  change: (claimed: Order, now: number, random: number) => Order,
): Promise<boolean> {
  await deps.waitForTurn();
  const now = deps.now();
  const claimed = claimCheck(check.order, now, deps.random());
  if (claimed === undefined) return false;
  return await save(change(claimed, now, deps.random()), check, deps);
}

/** Each query has its own claim, because one claim is too short for many payments. */
async function askAll(check: Check, deps: CheckOrder): Promise<boolean> {
  const paymentIds = rotate(check.order.paymentIds, deps.random());
  for (const [index, paymentId] of paymentIds.entries()) {
    if (index > 0 && !(await renew(check, deps))) return false;
    const result = await ask(paymentId, check.order, deps);
    check.results.push(result);
    check.note(result);
  }
  return true;
}

/** Each check starts with another payment, so that a check without time for all does not always query the same ones. */
function rotate(paymentIds: readonly string[], random: number): string[] {
  const first = Math.floor(random * paymentIds.length);
  return [...paymentIds.slice(first), ...paymentIds.slice(0, first)];
}

async function renew(check: Check, deps: CheckOrder): Promise<boolean> {
  if (!deps.hasTimeToAsk()) return false;
  await deps.waitForTurn();
  return await save(renewClaim(check.order, deps.now(), deps.random()), check, deps);
}

/** A payment whose query fails must not hide the order's other payments. */
async function ask(paymentId: string, order: Order, deps: CheckOrder): Promise<Result> {
  try {
    return await askPayment(order, paymentId, deps);
  } catch (error) {
    return { kind: "failed", error };
  }
}

/** False if another writer was first. */
async function save(next: Order, check: Check, deps: CheckOrder): Promise<boolean> {
  const saved = await deps.saveOrder(next, check.order);
  check.order = saved ?? check.order;
  return saved !== undefined;
}

/**
 * The order after the queries of a check. The identical object if the next check stays as the claim set it. `payments`
 * were read before the queries.
 */
function afterCheck(
  check: Check,
  found: ReadonlySet<Finding>,
  payments: readonly Payment[],
  nowMilliseconds: number,
): Order {
  const order = learnFrom(check.results, check.order);
  // The transaction that records the end sets the next check. An order with an end is never unresolved.
  if (found.has("ends")) return order;
  const next = isPaid(order.status)
    ? endRepeats(noteResults(order, check.results, nowMilliseconds), nowMilliseconds)
    : nextCheck(order, check, found, nowMilliseconds);
  const isAnswered = check.results.every(statesStatus);
  return isAnswered ? noteUnpaid(check.order, payments, next, nowMilliseconds) : next;
}

function nextCheck(
  order: Order,
  check: Check,
  found: ReadonlySet<Finding>,
  nowMilliseconds: number,
): Order {
  const doubted = found.has("doubts") ? moveState(order, "doubted") : order;
  if (found.has("failed") || found.has("waits")) return endRepeats(doubted, nowMilliseconds);
  if (found.has("doubts") || found.has("unconfirmed")) {
    return endRepeats(countFailure(doubted), nowMilliseconds);
  }
  return dueAfterAnswer(noteResults(order, check.results, nowMilliseconds), nowMilliseconds);
}

/** The order of a removed merchant cannot be queried. It is checked as usual until it becomes unresolved. */
export function withoutQuestion(order: Order, nowMilliseconds: number, random: number): Order {
  if (isOpen(order)) return dueAfterAnswer(order, nowMilliseconds);
  return countFailure(withoutKeys(order, nowMilliseconds, random));
}

/** The order of a merchant whose keys cannot be used. */
export function withoutKeys(order: Order, nowMilliseconds: number, random: number): Order {
  return endRepeats(dueAfterFailure(order, nowMilliseconds, random), nowMilliseconds);
}
