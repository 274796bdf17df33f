import { type AskPayment, askPayment, type Reply } from "../asking/ask-payment.ts";
import { claimQuery, noteAnswer, renewClaim } from "../orders/ask-service.ts";
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

/** What the check found out, and the order as the check left it. */
interface Checked {
  /** What the service told, one reply for each question that it answered. */
  readonly replies: readonly Reply[];
  readonly order: Order;
}

/**
 * `left`: another caller is asking or has changed the order, or the time is over. A later run sees it again.
 * `failed`: a question had no answer, or the table or the inbox failed.
 */
export type Check =
  | ({ readonly kind: "answered" | "left" } & Checked)
  | ({ readonly kind: "failed"; readonly error: unknown } & Checked);

/**
 * Asks the service about every payment of an order that is due. The claim is written together with the next check, as
 * if the question had failed already: then a failure, a crash or a lost race needs no further write, and an order on
 * which every run fails does not stay the first in the line.
 */
export async function checkOrder(due: Order, deps: CheckOrder): Promise<Check> {
  const replies: Reply[] = [];
  let order = due;
  /** False if another writer was first. */
  const save = async (next: Order): Promise<boolean> => {
    const saved = await deps.saveOrder(next);
    order = saved ?? order;
    return saved !== undefined;
  };
  try {
    await deps.waitForTurn();
    const claim = claimQuery(due, deps.now());
    if (claim === undefined) return { kind: "left", replies, order };
    if (!(await save(dueAfterFailure(claim, deps.now(), deps.random()))))
      return { kind: "left", replies, order };
    for (const [index, paymentId] of due.paymentIds.entries()) {
      const mayAsk = index === 0 || (await mayAskNext(order, save, deps));
      if (!mayAsk) return { kind: "left", replies, order };
      replies.push(await askPayment(order, paymentId, deps));
    }
    // News sets the next check itself, in the transaction that records it.
    if (!replies.some(({ kind }) => kind === "news"))
      await save(answered(order, replies, deps.now()));
    return { kind: "answered", replies, order };
  } catch (error) {
    return { kind: "failed", error, replies, order };
  }
}

/** Each question gets a claim of its own, because one claim is too short for many payments. */
async function mayAskNext(
  order: Order,
  save: (next: Order) => Promise<boolean>,
  deps: CheckOrder,
): Promise<boolean> {
  if (!deps.hasTimeToAsk()) return false;
  await deps.waitForTurn();
  return await save(renewClaim(order, deps.now()));
}

/** A refusal is an answer, too: that the service does not find a payment does not mean that it failed. */
function answered(order: Order, replies: readonly Reply[], nowMilliseconds: number): Order {
  const isConfirmed = replies.every(({ kind }) => kind === "nothing-new");
  return dueAfterAnswer(noteAnswer(order, isConfirmed, nowMilliseconds), nowMilliseconds);
}
