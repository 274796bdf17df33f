import { type AskPayment, askPayment, type Reply } from "../asking/ask-payment.ts";
import { claimCheck, noteAnswer, renewClaim } from "../orders/ask-service.ts";
import { dueAfterAnswer, dueAfterFailure } from "../orders/due.ts";
import type { Order } from "../orders/order.ts";

export interface CheckOrder extends AskPayment {
  /** The order with its new revision, or undefined if another writer was first. */
  readonly saveOrder: (order: Order) => Promise<Order | undefined>;
  /** Whether a question that begins now ends inside the time that the function has. */
  readonly hasTimeToAsk: () => boolean;
  /** Waits until the next question may be sent. */
  readonly waitForTurn: () => Promise<void>;
  readonly random: () => number;
}

/** What a check has found out so far, and the order as it is stored. */
interface Progress {
  order: Order;
  /** What the service told, one reply for each question that it answered. */
  readonly replies: Reply[];
}

/**
 * `left`: another caller is asking or has changed the order, or the time is over. A later run sees it again.
 * `failed`: a question had no answer, or the table or the inbox failed.
 */
export type Check = Readonly<Progress> &
  ({ readonly kind: "answered" | "left" } | { readonly kind: "failed"; readonly error: unknown });

/** Asks the service about every payment of an order that is due, and sets the order's next check. */
export async function checkOrder(due: Order, deps: CheckOrder): Promise<Check> {
  const progress: Progress = { order: due, replies: [] };
  try {
    const isAnswered = (await claim(progress, deps)) && (await askAll(progress, deps));
    if (isAnswered) await noteReplies(progress, deps);
    return { kind: isAnswered ? "answered" : "left", ...progress };
  } catch (error) {
    return { kind: "failed", error, ...progress };
  }
}

/**
 * The claim is written together with the next check, as if the question had failed already: then a failure, a crash or
 * a lost race needs no further write, and an order on which every run fails does not stay the first in the line.
 */
async function claim(progress: Progress, deps: CheckOrder): Promise<boolean> {
  await deps.waitForTurn();
  const now = deps.now();
  const claimed = claimCheck(progress.order, now);
  if (claimed === undefined) return false;
  return await save(dueAfterFailure(claimed, now, deps.random()), progress, deps);
}

/** Each question has a claim of its own, because one claim is too short for many payments. */
async function askAll(progress: Progress, deps: CheckOrder): Promise<boolean> {
  for (const [index, paymentId] of progress.order.paymentIds.entries()) {
    if (index > 0 && !(await renew(progress, deps))) return false;
    progress.replies.push(await askPayment(progress.order, paymentId, deps));
  }
  return true;
}

async function renew(progress: Progress, deps: CheckOrder): Promise<boolean> {
  if (!deps.hasTimeToAsk()) return false;
  await deps.waitForTurn();
  return await save(renewClaim(progress.order, deps.now()), progress, deps);
}

/**
 * A refusal is an answer, too: that the service does not find a payment does not mean that it failed. News is left
 * alone, because the transaction that records it sets the next check.
 */
async function noteReplies(progress: Progress, deps: CheckOrder): Promise<void> {
  const { order, replies } = progress;
  if (replies.some(({ kind }) => kind === "news")) return;
  const isConfirmed = replies.every(({ kind }) => kind === "nothing-new");
  const now = deps.now();
  await save(dueAfterAnswer(noteAnswer(order, isConfirmed, now), now), progress, deps);
}

/** False if another writer was first. */
async function save(next: Order, progress: Progress, deps: CheckOrder): Promise<boolean> {
  const saved = await deps.saveOrder(next);
  progress.order = saved ?? progress.order;
  return saved !== undefined;
}
