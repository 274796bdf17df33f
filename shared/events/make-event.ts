import type { Fact, PaymentFact, RefundFact } from "../facts/fact.ts";
import { knownFlags } from "../facts/flags.ts";
import { groupOf } from "../facts/subject.ts";
import type { AppliedFact } from "../orders/applied-fact.ts";
import type { Order } from "../orders/order.ts";
import { inOrderCurrency, type Payment, refundedTotal, refundsOf } from "../orders/payment.ts";
import { paymentDetailsSchema } from "../orders/schemas.ts";
import { optionalRfc3339, toRfc3339 } from "../time/timestamp.ts";
import {
  type OrderEventData,
  orderEventSchemaUri,
  type PaycastEvent,
  type RefundEventData,
  refundEventSchemaUri,
} from "./event.ts";

/** The origin of the fact, as far as an event contains it. */
export interface Provenance {
  readonly source: string;
  readonly traceparent: string;
  readonly callbackId: string | undefined;
  /** When the callback was sent or, if that is unknown, received. */
  readonly reportedAtMilliseconds: number;
}

/** Also the optional fields: otherwise a new one would compile, and no event would have it. */
type EveryField<Data> = { readonly [Name in keyof Required<Data>]: Data[Name] };

/** The event of a payment fact. The same arguments return the same event. plan-receipt.ts writes its bytes, once. */
export function makeOrderEvent(
  fact: PaymentFact,
  applied: AppliedFact<Order>,
  provenance: Provenance,
): PaycastEvent {
  const { aggregate: order } = applied;
  const data: EveryField<OrderEventData> = {
    ...statedBy(fact, applied, provenance),
    orderNo: fact.orderNo,
    paymentId: fact.paymentId,
    status: fact.status,
    amount: fact.amount,
    order: orderAfter(order),
  };
  const head = envelopeOf(fact, applied, provenance);
  const subject = order.orderNo;
  return { ...head, subject, type: fact.type, dataschema: orderEventSchemaUri, data };
}

/** The event of a refund fact. */
export function makeRefundEvent(
  fact: RefundFact,
  applied: AppliedFact<Payment>,
  provenance: Provenance,
): PaycastEvent {
  const { aggregate: payment } = applied;
  const orderNo = payment.order?.orderNo;
  const data: EveryField<RefundEventData> = {
    ...statedBy(fact, applied, provenance),
    paymentId: fact.paymentId,
    refundId: fact.refundId,
    refundNo: fact.refundNo,
    orderNo,
    status: fact.status,
    amount: inOrderCurrency(payment, fact.amount).amount,
    payment: paymentAfter(payment),
  };
  const head = envelopeOf(fact, applied, provenance);
  return { ...head, subject: orderNo, type: fact.type, dataschema: refundEventSchemaUri, data };
}

function orderAfter(order: Order): EveryField<OrderEventData["order"]> {
  return {
    orderNo: order.orderNo,
    status: order.status,
    expectedAmount: order.expected,
    payment: paymentDetailsSchema.parse(order.payment),
    paymentIds: order.paymentIds,
    flags: knownFlags(order.flags),
  };
}

function paymentAfter(payment: Payment): EveryField<RefundEventData["payment"]> {
  return {
    paymentId: payment.paymentId,
    orderNo: payment.order?.orderNo,
    refunds: refundsOf(payment),
    refundedAmount: refundedTotal(payment),
    flags: knownFlags(payment.flags),
  };
}

function envelopeOf(
  fact: Fact,
  { factId, aggregate }: AppliedFact<Order | Payment>,
  provenance: Provenance,
) {
  return {
    specversion: "1.0" as const,
    id: factId,
    source: provenance.source,
    // When it happened, or the nearest time that is known.
    time: toRfc3339(fact.completedAtMilliseconds ?? provenance.reportedAtMilliseconds),
    datacontenttype: "application/json" as const,
    partitionkey: groupOf(aggregate),
    sequence: String(aggregate.sequence).padStart(10, "0"),
    origin: fact.origin,
    traceparent: provenance.traceparent,
  };
}

function statedBy(fact: Fact, { flags }: AppliedFact<Order | Payment>, { callbackId }: Provenance) {
  return {
    merchantId: fact.merchantId,
    transactionId: fact.transactionId,
    reason: fact.reason,
    createdAt: optionalRfc3339(fact.createdAtMilliseconds),
    completedAt: optionalRfc3339(fact.completedAtMilliseconds),
    callbackId,
    flags: knownFlags(flags),
  };
}
