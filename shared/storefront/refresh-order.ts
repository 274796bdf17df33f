import type { Asked } from "../inbox/query-entry.ts";
import { queryEntry, queryMessageOf } from "../inbox/query-entry.ts";
import type { SendToInbox } from "../inbox/send-to-inbox.ts";
import { applyFact } from "../orders/apply-fact.ts";
import { lastQueryFailed } from "../orders/claim-query.ts";
import type { Order } from "../orders/order.ts";
import { readFact } from "../orders/read-fact.ts";
import { isSettled } from "../orders/settled.ts";

export interface RefreshOrder {
  readonly claimQuery: (orderKey: string, nowMilliseconds: number) => Promise<boolean>;
  readonly noteFailedQuery: (orderKey: string, askedAtMilliseconds: number) => Promise<void>;
  readonly queryPayment: (merchantId: string, paymentId: string) => Promise<object>;
  readonly sendToInbox: SendToInbox;
  readonly traceparent: () => string;
  readonly now: () => number;
  readonly onFailure: (error: unknown) => void;
}

export interface FreshOrder {
  readonly order: Order;
  readonly stale: boolean;
}

/**
 * The order with what the service says of it now, unless it is settled or was asked about just before. What
 * is new goes through the inbox like a callback and is answered with at once. A service that does not answer
 * makes the order stale, not an error, for those too who may not ask it again yet.
 */
export async function refreshOrder(
  order: Order,
  paymentId: string | undefined,
  deps: RefreshOrder,
): Promise<FreshOrder> {
  const { orderNo, merchantId, orderKey } = order;
  if (orderNo === undefined || paymentId === undefined || isSettled(order, deps.now())) {
    return { order, stale: false };
  }
  const askedAt = deps.now();
  try {
    if (!(await deps.claimQuery(orderKey, askedAt)))
      return { order, stale: lastQueryFailed(order) };
    const answer = await deps.queryPayment(merchantId, paymentId);
    const receivedAtMilliseconds = deps.now();
    const traceparent = deps.traceparent();
    const asked = { merchantId, orderNo, paymentId, answer, receivedAtMilliseconds, traceparent };
    return { order: await learn(order, asked, deps), stale: false };
  } catch (error) {
    deps.onFailure(error);
    await deps.noteFailedQuery(orderKey, askedAt).catch(() => undefined);
    return { order, stale: true };
  }
}

async function learn(order: Order, asked: Asked, deps: RefreshOrder): Promise<Order> {
  const message = queryMessageOf(asked);
  const fact = readFact(message);
  const applied = fact && applyFact(order, fact);
  if (applied === undefined) return order;
  await deps.sendToInbox(queryEntry(message));
  // The sequence is given when it is recorded.
  return { ...applied.order, version: order.version };
}
