import { type AskPayment, askPayment } from "../asking/ask-payment.ts";
import { claimCheck, renewClaim } from "../orders/ask-service.ts";
import { dueAfterFailure } from "../orders/due.ts";
import type { Order } from "../orders/order.ts";
import { afterQuestions, type Result } from "./after-questions.ts";

export interface CheckOrder extends AskPayment {
  /** The order with its new revision, or undefined if another writer was first. */
  readonly saveOrder: (order: Order) => Promise<Order | undefined>;
  /** Whether a question that begins now ends inside the time that the function has. */
  readonly hasTimeToAsk: () => boolean;
  /** Waits until the next question may be sent. */
  readonly waitForTurn: () => Promise<void>;
  readonly random: () => number;
}

/** A check that is under way. */
interface Check {
  /** The order as it is stored. */
  order: Order;
  readonly results: Result[];
  readonly note: (result: Result) => void;
}

/**
 * Asks the service about every payment of an order that is due, and sets the order's next check. `note` gets the result
 * of each question at once. Returns the order as it is stored then. A check that another caller or the end of the time
 * has stopped is left to a later run. Throws if the table fails.
 */
export async function checkOrder(
  due: Order,
  deps: CheckOrder,
  note: (result: Result) => void,
): Promise<Order> {
  const check: Check = { order: due, results: [], note };
  if (!(await claim(check, deps))) return check.order;
  const isComplete = await askAll(check, deps);
  const hasFailed = check.results.some(({ kind }) => kind === "failed");
  if (isComplete || hasFailed) await setNextCheck(check, deps);
  return check.order;
}

/**
 * The claim is written together with the next check, as if the question had failed already: then a failure, a crash or
 * a lost race needs no further write, and an order on which every run fails does not stay the first in the line.
 */
async function claim(check: Check, deps: CheckOrder): Promise<boolean> {
  await deps.waitForTurn();
  const now = deps.now();
  const claimed = claimCheck(check.order, now);
  if (claimed === undefined) return false;
  return await save(dueAfterFailure(claimed, now, deps.random()), check, deps);
}

/** Each question has a claim of its own, because one claim is too short for many payments. */
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

/** Each check begins with another payment, so that a check without time for all does not always ask the same ones. */
function rotate(paymentIds: readonly string[], random: number): string[] {
  const first = Math.floor(random * paymentIds.length);
  return [...paymentIds.slice(first), ...paymentIds.slice(0, first)];
}

async function renew(check: Check, deps: CheckOrder): Promise<boolean> {
  if (!deps.hasTimeToAsk()) return false;
  await deps.waitForTurn();
  return await save(renewClaim(check.order, deps.now()), check, deps);
}

/** A payment whose question fails must not hide the order's other payments. */
async function ask(paymentId: string, order: Order, deps: CheckOrder): Promise<Result> {
  try {
    return await askPayment(order, paymentId, deps);
  } catch (error) {
    return { kind: "failed", error };
  }
}

async function setNextCheck(check: Check, deps: CheckOrder): Promise<void> {
  const next = afterQuestions(check.order, check.results, deps.now());
  if (next !== check.order) await save(next, check, deps);
}

/** False if another writer was first. */
async function save(next: Order, check: Check, deps: CheckOrder): Promise<boolean> {
  const saved = await deps.saveOrder(next);
  check.order = saved ?? check.order;
  return saved !== undefined;
}
