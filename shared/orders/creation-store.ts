import type { Database } from "../table/database.ts";
import { loadOrder, loadPayment, retryOnContention, saveAggregates } from "./aggregate-store.ts";
import { type Beginning, beginCreation, type CreationRequest } from "./begin-creation.ts";
import { type AttemptEnd, endCreation } from "./end-creation.ts";
import { linkPayment } from "./link-payment.ts";
import type { Order } from "./order.ts";
import type { Payment } from "./payment.ts";

export interface OrderName {
  readonly merchantId: string;
  readonly orderNo: string;
}

/**
 * Records the attempt before anything is sent, so that a callback finds the order, and only one of several concurrent
 * callers sends it. Returns the order as it is stored now.
 */
export async function storeBeginning(
  database: Database,
  table: string,
  { merchantId, orderNo }: OrderName,
  request: CreationRequest,
  attemptId: string,
): Promise<{ readonly beginning: Beginning; readonly order: Order }> {
  return await retryOnContention(database, async () => {
    const order = await loadOrder(database, table, merchantId, orderNo);
    // An earlier turn wrote it, but DynamoDB's answer was lost.
    if (order.attempts.at(-1)?.attemptId === attemptId) {
      return { beginning: { kind: "begun", order, attemptId }, order };
    }
    const beginning = beginCreation(order, request, attemptId, database.now());
    if (beginning.kind !== "begun") return { beginning, order };
    const isSaved = await saveAggregates(database, table, [beginning.order]);
    return isSaved ? { beginning, order: beginning.order } : undefined;
  });
}

/** Records the end of an attempt that gave no payment. */
export async function storeEnd(
  database: Database,
  table: string,
  { merchantId, orderNo }: OrderName,
  attemptId: string,
  end: AttemptEnd,
): Promise<void> {
  await retryOnContention(database, async () => {
    const order = await loadOrder(database, table, merchantId, orderNo);
    if (!order.attempts.some((attempt) => attempt.attemptId === attemptId)) return true;
    const ended = endCreation(order, attemptId, end);
    return (await saveAggregates(database, table, [ended])) || undefined;
  });
}

/**
 * `claimed`: the payment belongs to another order and stays with it, and we do not know whether the service has this
 * order. `mismatch`: earlier refunds contradict the order.
 */
export type StoredPayment =
  | {
      readonly kind: "stored";
      readonly order: Order;
      readonly payment: Payment;
      readonly mismatch: boolean;
    }
  | { readonly kind: "claimed" };

/** Stores the payment that the service returned and links it to the order, in one transaction. */
export async function storePayment(
  database: Database,
  table: string,
  { merchantId, orderNo }: OrderName,
  attemptId: string,
  created: Extract<AttemptEnd, { state: "created" }>,
): Promise<StoredPayment> {
  return await retryOnContention(database, async () => {
    const [order, payment] = await Promise.all([
      loadOrder(database, table, merchantId, orderNo),
      loadPayment(database, table, merchantId, created.paymentId),
    ]);
    const link = linkPayment(payment, order);
    if (link.kind === "claimed") {
      const unknown = endCreation(order, attemptId, { state: "unknown" });
      return (await saveAggregates(database, table, [unknown])) ? link : undefined;
    }
    const ended = endCreation(order, attemptId, created);
    const isSaved = await saveAggregates(database, table, [ended, link.payment]);
    const { mismatch } = link;
    return isSaved ? { kind: "stored", order: ended, payment: link.payment, mismatch } : undefined;
  });
}
