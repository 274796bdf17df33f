import { readFact } from "../facts/read-fact.ts";
import { hasRefundStatus } from "../facts/subject.ts";
import { type Asked, queryEntry, queryMessageOf } from "../inbox/query-entry.ts";
import type { SendToInbox } from "../inbox/send-to-inbox.ts";
import { applyPaymentFact } from "../orders/apply-payment-fact.ts";
import { claimQuery, isFresh, noteAnswer } from "../orders/ask-service.ts";
import type { OrderName } from "../orders/creation-store.ts";
import type { Order } from "../orders/order.ts";

export interface RefreshOrder {
  readonly loadOrder: (name: OrderName) => Promise<Order>;
  /** The order with its new revision, or undefined if another writer was first. */
  readonly saveOrder: (order: Order) => Promise<Order | undefined>;
  readonly queryPayment: (merchantId: string, paymentId: string) => Promise<object>;
  readonly sendToInbox: SendToInbox;
  readonly traceparent: () => string;
  /** Whether a question that begins now ends inside the time that the function has. */
  readonly hasTimeToAsk: () => boolean;
  readonly now: () => number;
  readonly onFailure: (order: Order, paymentId: string, error: unknown) => void;
  /** Called if the answer is about a refund: it shows only that the payment was paid. */
  readonly onRefundStatus: (order: Order, paymentId: string) => void;
}

export interface FreshOrder {
  readonly order: Order;
  readonly stale: boolean;
}

/**
 * The order with the service's current answer, unless it is settled. One caller asks at a time; the others get what is
 * stored. A new fact goes through the inbox like a callback. If the service does not answer, the order is marked
 * stale; that is not an error.
 */
export async function refreshOrder(
  order: Order,
  paymentId: string | undefined,
  deps: RefreshOrder,
): Promise<FreshOrder> {
  if (paymentId === undefined || isFresh(order, deps.now())) return { order, stale: false };
  const claim = claimQuery(order, deps.now());
  if (claim === undefined) return { order, stale: true };
  try {
    const claimed = await deps.saveOrder(claim);
    if (claimed === undefined) return await asStored(order, deps);
    if (!deps.hasTimeToAsk()) return { order, stale: true };
    return await ask(claimed, paymentId, deps);
  } catch (error) {
    deps.onFailure(order, paymentId, error);
    return { order, stale: true };
  }
}

/** Another writer was first: another caller that asks, or a callback. */
async function asStored(name: OrderName, deps: RefreshOrder): Promise<FreshOrder> {
  const order = await deps.loadOrder(name);
  return { order, stale: !isFresh(order, deps.now()) };
}

async function ask(order: Order, paymentId: string, deps: RefreshOrder): Promise<FreshOrder> {
  const { merchantId, orderNo } = order;
  const answer = await deps.queryPayment(merchantId, paymentId);
  const receivedAtMilliseconds = deps.now();
  const asked = { merchantId, orderNo, paymentId, answer, receivedAtMilliseconds };
  if (hasRefundStatus(answer)) {
    deps.onRefundStatus(order, paymentId);
    return { order, stale: true };
  }
  const learned = await learn(order, { ...asked, traceparent: deps.traceparent() }, deps);
  // If this cannot be stored, the claim ends by itself.
  const isStored = learned === order;
  await deps.saveOrder(noteAnswer(order, isStored, deps.now())).catch(() => undefined);
  return { order: learned, stale: false };
}

async function learn(order: Order, asked: Asked, deps: RefreshOrder): Promise<Order> {
  const message = queryMessageOf(asked);
  const fact = readFact(message);
  if (fact?.kind !== "payment") return order;
  const applied = applyPaymentFact(order, fact);
  if (applied.kind === "known") return order;
  await deps.sendToInbox(queryEntry(message));
  // The sequence is assigned when the fact is recorded.
  return { ...applied.aggregate, sequence: order.sequence };
}
