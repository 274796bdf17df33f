import { hasPaid } from "../facts/event-types.ts";
import type { Fact, PaymentFact } from "../facts/fact.ts";
import { aggregateKeyOf } from "../facts/subject.ts";
import {
  loadOrder,
  loadOrderByKey,
  loadPayment,
  loadReadablePaymentsOf,
} from "../orders/aggregate-store.ts";
import { isOpen } from "../orders/due.ts";
import { isMoveUp } from "../orders/move-status.ts";
import type { Order } from "../orders/order.ts";
import type { Payment } from "../orders/payment.ts";
import { identifySuccess } from "../orders/same-fact.ts";
import type { Database } from "../table/database.ts";
import type { FactContext } from "./fact-context.ts";

/**
 * Reads the aggregate of a fact and the aggregates that it is compared with: refunds are compared with what was paid.
 */
export async function loadContext(
  database: Database,
  table: string,
  fact: Fact,
): Promise<FactContext> {
  const { merchantId } = fact;
  if (fact.kind === "payment") {
    const aggregate = await loadOrder(database, table, merchantId, fact.orderNo);
    const payments = needsPayments(aggregate, fact)
      ? await loadReadablePaymentsOf(database, table, aggregate)
      : [];
    return { kind: "order", fact, aggregate, payments };
  }
  const aggregate = await loadPayment(database, table, merchantId, fact.paymentId);
  return { kind: "payment", fact, aggregate, order: await loadLinked(database, table, aggregate) };
}

/** A fact that ends the order, a further payment, and the status of a refund are compared with refunds. */
function needsPayments(order: Order, fact: PaymentFact): boolean {
  if (hasPaid(fact)) {
    return fact.refundStatus !== undefined || identifySuccess(order, fact).known === undefined;
  }
  return !isOpen(fact) && isMoveUp(order.status, fact.status);
}

/** The order that a payment is linked to. An order that cannot be read must not block the payment's own facts. */
async function loadLinked(
  database: Database,
  table: string,
  { merchantId, order }: Payment,
): Promise<Order | undefined> {
  if (order === undefined) return undefined;
  const aggregateKey = aggregateKeyOf({ kind: "order", merchantId, orderNo: order.orderNo });
  return await loadOrderByKey(database, table, aggregateKey);
}
