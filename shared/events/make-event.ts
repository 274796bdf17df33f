import type { InboxMessage } from "../inbox/inbox-message.ts";
import type { AppliedFact } from "../orders/apply-fact.ts";
import { type Fact, factIdOf } from "../orders/fact.ts";
import type { Order, Refund } from "../orders/order.ts";
import { refundedTotal } from "../orders/refunded-total.ts";
import { optionalRfc3339, toRfc3339 } from "../time/timestamp.ts";
import { dataSchemaUri, type PaycastEvent } from "./event.ts";
import type { EventType } from "./event-types.ts";

/** What an event is made of; the same parts give the same bytes. */
export interface EventParts {
  readonly source: string;
  readonly type: EventType;
  readonly message: InboxMessage;
  readonly fact: Fact;
  readonly applied: AppliedFact;
}

export function makeEvent({ source, type, message, fact, applied }: EventParts): PaycastEvent {
  const { order } = applied;
  return {
    specversion: "1.0",
    id: factIdOf(fact),
    source,
    type,
    subject: order.orderNo,
    time: toRfc3339(timeOf(fact, message)),
    datacontenttype: "application/json",
    dataschema: dataSchemaUri,
    sequence: String(order.version).padStart(10, "0"),
    origin: message.origin,
    traceparent: message.traceparent,
    data: {
      ...factData(fact, applied),
      callbackId: message.origin === "callback" ? message.callbackId : undefined,
      flags: [...applied.flags],
      order: snapshotOf(order),
    },
  };
}

/** When it happened, as near as it is known. */
function timeOf(fact: Fact, message: InboxMessage): number {
  const sentAt = message.origin === "callback" ? message.sentAtMilliseconds : undefined;
  return fact.completedAtMilliseconds ?? sentAt ?? message.receivedAtMilliseconds;
}

function factData(fact: Fact, { order, amount }: AppliedFact) {
  const { merchantId, status, transactionId, reason, paymentId } = fact;
  const isRefund = fact.kind === "refund";
  return {
    merchantId,
    orderNo: order.orderNo,
    paymentId,
    refundId: isRefund ? fact.refundId : undefined,
    refundNo: isRefund ? fact.refundNo : undefined,
    transactionId,
    status,
    amount,
    reason,
    createdAt: optionalRfc3339(fact.createdAtMilliseconds),
    completedAt: optionalRfc3339(fact.completedAtMilliseconds),
  };
}

function snapshotOf(order: Order): PaycastEvent["data"]["order"] {
  return {
    orderNo: order.orderNo,
    paymentIds: [...order.paymentIds].sort(),
    status: order.status,
    payment: order.payment,
    refunds: inOrderOfId(Object.values(order.refunds)),
    refundedAmount: refundedTotal(order),
    flags: order.flags,
  };
}

/** DynamoDB keeps a map in no order; an event should not read otherwise from one time to the next. */
function inOrderOfId(refunds: readonly Refund[]): Refund[] {
  return [...refunds].sort((one, other) => (one.refundId < other.refundId ? -1 : 1));
}
