import { type AskPayment, askPayment, type Reply } from "../asking/ask-payment.ts";
import type { OrderName } from "../orders/creation-store.ts";
import type { Order } from "../orders/order.ts";
import {
  claimQuery,
  hasRecentAnswer,
  holdsClaim,
  isFresh,
  noteAnswer,
  noteNews,
} from "../orders/question.ts";
import { noteRefundAnswer } from "../orders/unpaid-refund.ts";

export interface RefreshOrder extends AskPayment {
  readonly loadOrder: (name: OrderName) => Promise<Order>;
  /** Returns the order with its new revision, or undefined if another writer was first. */
  readonly saveOrder: (order: Order) => Promise<Order | undefined>;
  /** Whether a query that starts now can end within the function's time. */
  readonly hasTimeToAsk: () => boolean;
  readonly onFailure: (order: Order, paymentId: string, error: unknown) => void;
  /** Called if the result has a refund status but does not show that the whole amount was paid. */
  readonly onRefundStatus: (order: Order, paymentId: string) => void;
}

export interface FreshOrder {
  readonly order: Order;
  readonly stale: boolean;
}

/**
 * The order with the service's current status, unless it is settled and the caller does not want to know more. Only one
 * caller queries at a time; the others get what is stored. A new fact goes through the inbox like a callback. If the
 * query fails, contradicts what is stored, or another caller is querying, the order is marked stale, which is not an
 * error.
 */
export async function refreshOrder(
  order: Order,
  paymentId: string | undefined,
  deps: RefreshOrder,
  isWanted = false,
): Promise<FreshOrder> {
  const isEnough = isWanted ? hasRecentAnswer : isFresh;
  if (isEnough(order, deps.now())) return { order, stale: false };
  if (paymentId === undefined) return { order, stale: true };
  const claim = claimQuery(order, deps.now(), deps.random());
  if (claim === undefined) return { order, stale: true };
  let latest = order;
  try {
    // Undefined: another writer was first, or our write succeeded but its response was lost and a callback has changed
    // the order since. In the second case our claim is still in it.
    latest = (await deps.saveOrder(claim)) ?? (await deps.loadOrder(order));
    const stale = !isEnough(latest, deps.now());
    if (!stale || !holdsClaim(latest, claim)) return { order: latest, stale };
    if (!deps.hasTimeToAsk()) return { order: latest, stale: true };
    return await ask(latest, paymentId, deps);
  } catch (error) {
    deps.onFailure(order, paymentId, error);
    return { order: latest, stale: true };
  }
}

async function ask(order: Order, paymentId: string, deps: RefreshOrder): Promise<FreshOrder> {
  const reply = await askPayment(order, paymentId, deps);
  if ("error" in reply) throw reply.error;
  if (reply.kind === "refund-status") deps.onRefundStatus(order, paymentId);
  // If this cannot be stored, the claim ends by itself.
  await saveNote(order, (current) => withReply(current, reply, deps.now()), deps).catch(() => {});
  const stale = !reply.isConfirmation;
  return { order: reply.kind === "refund-status" ? reply.noted(order) : reply.order, stale };
}

type Answer = Exclude<Reply, { readonly error: unknown }>;

/** The status may have changed since the query was sent. The result does not confirm the new one. */
function withReply(order: Order, reply: Answer, nowMilliseconds: number): Order {
  if (reply.kind === "refund-status") {
    const noted = noteRefundAnswer(order, reply.noted(order), nowMilliseconds);
    return noteAnswer(noted, reply.isConfirmation, nowMilliseconds);
  }
  const { isConfirmation, status } = reply;
  return reply.kind === "news" && isConfirmation
    ? noteNews(order, reply.factId, nowMilliseconds)
    : noteAnswer(order, isConfirmation && order.status === status, nowMilliseconds);
}

/** Another writer may be first: usually process-callback, with this same result from the inbox. */
async function saveNote(
  order: Order,
  note: (current: Order) => Order,
  { saveOrder, loadOrder }: RefreshOrder,
): Promise<void> {
  const saved = await saveOrder(note(order));
  if (saved === undefined) await saveOrder(note(await loadOrder(order)));
}
