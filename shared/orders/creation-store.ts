import { raisedFlags, unionOfFlags } from "../facts/flags.ts";
import type { Database } from "../table/database.ts";
import { loadOrder, loadPayment, retryOnContention, saveAggregates } from "./aggregate-store.ts";
import { refundsContradict } from "./check-refunds.ts";
import {
  type AttemptEnd,
  type Beginning,
  beginCreation,
  type CreationRequest,
  endCreation,
} from "./creation.ts";
import { dueAtOnce, isOpen } from "./due.ts";
import type { Order } from "./order.ts";
import { inOrderCurrency, type Payment } from "./payment.ts";

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
    const ended = endCreation(order, attemptId, created);
    const link = linkPayment(payment, ended);
    if (link.kind === "claimed") {
      const unknown = endCreation(order, attemptId, { state: "unknown" });
      return (await saveAggregates(database, table, [unknown])) ? link : undefined;
    }
    const { payment: linked, mismatch } = link;
    const stored = hasRefunds(linked) && isOpen(ended) ? dueAtOnce(ended, database.now()) : ended;
    const isSaved = await saveAggregates(database, table, [stored, linked]);
    return isSaved ? { kind: "stored", order: stored, payment: linked, mismatch } : undefined;
  });
}

/** A refund shows that the payment was paid, so the service is asked about an open order at once. */
function hasRefunds({ refunds }: Payment): boolean {
  return Object.keys(refunds).length > 0;
}

/**
 * `linked`: the payment with its order, and whether its refunds contradict the order. `claimed`: the payment belongs
 * to another order and stays with it.
 */
type Link =
  | { readonly kind: "linked"; readonly payment: Payment; readonly mismatch: boolean }
  | { readonly kind: "claimed" };

/**
 * Refunds may have come before the payment was linked. The order gives them a currency and, if it has ended, a limit.
 * Its expected amount is known after the first attempt to create it.
 */
export function linkPayment(payment: Payment, order: Order): Link {
  const { orderNo, expected } = order;
  const isOthers = payment.order !== undefined && payment.order.orderNo !== orderNo;
  if (isOthers || expected === undefined) return { kind: "claimed" };
  const linked = { ...payment, order: { orderNo, expected } };
  const reread = Object.entries(payment.refunds).map(([id, refund]) => {
    const { amount, readable } = inOrderCurrency(linked, refund.amount);
    return { id, refund: { ...refund, amount }, readable };
  });
  const refunds = Object.fromEntries(reread.map(({ id, refund }) => [id, refund]));
  const next = { ...linked, refunds };
  const mismatch = reread.some(({ readable }) => !readable) || refundsContradict(next, order);
  const known = payment.flags.filter((flag) => flag !== "unknownOrder");
  const flags = unionOfFlags(known, raisedFlags({ mismatch }));
  return { kind: "linked", payment: { ...next, flags }, mismatch };
}
