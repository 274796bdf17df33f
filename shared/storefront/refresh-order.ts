import { type AskPayment, askPayment, type Reply } from "../asking/ask-payment.ts";
import { claimQuery, isFresh, noteAnswer, noteNews } from "../orders/ask-service.ts";
import type { OrderName } from "../orders/creation-store.ts";
import { type Order, withRefundStatus } from "../orders/order.ts";

export interface RefreshOrder extends AskPayment {
  readonly loadOrder: (name: OrderName) => Promise<Order>;
  /** The order with its new revision, or undefined if another writer was first. */
  readonly saveOrder: (order: Order) => Promise<Order | undefined>;
  /** Whether a question that begins now ends inside the time that the function has. */
  readonly hasTimeToAsk: () => boolean;
  readonly onFailure: (order: Order, paymentId: string, error: unknown) => void;
  /** Called if the answer has the status of a refund but does not show that the whole amount was paid. */
  readonly onRefundStatus: (order: Order, paymentId: string) => void;
}

export interface FreshOrder {
  readonly order: Order;
  readonly stale: boolean;
}

/**
 * The order with the service's current answer, unless it is settled. One caller asks at a time; the others get what is
 * stored. A new fact goes through the inbox like a callback. If there is no answer, or one that contradicts what is
 * stored, or somebody else asks, the order is marked stale; that is not an error.
 */
export async function refreshOrder(
  order: Order,
  paymentId: string | undefined,
  deps: RefreshOrder,
): Promise<FreshOrder> {
  if (isFresh(order, deps.now())) return { order, stale: false };
  if (paymentId === undefined) return { order, stale: true };
  const claim = claimQuery(order, deps.now(), deps.random());
  if (claim === undefined) return { order, stale: true };
  let latest = order;
  try {
    // Another writer was first; or our write succeeded, its answer was lost, and a callback has changed the order since:
    // then our claim is still in it.
    latest = (await deps.saveOrder(claim)) ?? (await deps.loadOrder(order));
    const isCurrent = isFresh(latest, deps.now());
    const isOurs = latest.query?.by === claim.query?.by;
    if (isCurrent || !isOurs) return { order: latest, stale: !isCurrent };
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
  if (reply.kind === "refund-status") {
    return { order: withRefundStatus(order, reply.refundStatus), stale: true };
  }
  return { order: reply.kind === "news" ? reply.order : order, stale: !reply.isConfirmation };
}

type Answer = Exclude<Reply, { readonly error: unknown }>;

/** The order may have got another status since it was asked about. The answer does not confirm that one. */
function withReply(order: Order, reply: Answer, nowMilliseconds: number): Order {
  if (reply.kind === "refund-status") {
    const noted = withRefundStatus(order, reply.refundStatus);
    return noteAnswer(noted, false, nowMilliseconds);
  }
  const { isConfirmation, status } = reply;
  return reply.kind === "news" && isConfirmation
    ? noteNews(order, reply.factId, nowMilliseconds)
    : noteAnswer(order, isConfirmation && order.status === status, nowMilliseconds);
}

/** Another writer may be first: most often process-callback, with this very answer from the inbox. */
async function saveNote(
  order: Order,
  note: (current: Order) => Order,
  { saveOrder, loadOrder }: RefreshOrder,
): Promise<void> {
  const saved = await saveOrder(note(order));
  if (saved === undefined) await saveOrder(note(await loadOrder(order)));
}
