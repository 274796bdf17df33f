import { isPaid, type PaymentStatus } from "../facts/event-types.ts";
import type { PaymentFact } from "../facts/fact.ts";
import { readFact } from "../facts/read-fact.ts";
import { refundStatusIn } from "../facts/subject.ts";
import { GatewayError } from "../gateway/gateway-error.ts";
import type { QueryMessage } from "../inbox/inbox-message.ts";
import {
  type Asked,
  queryEntry,
  queryMessageOf,
  type SendToInbox,
} from "../inbox/send-to-inbox.ts";
import { applyPaymentFact } from "../orders/apply-payment-fact.ts";
import { attemptRoleOf } from "../orders/attempt-role.ts";
import { withRefundAnswer } from "../orders/known-refunds.ts";
import { isExpected, type Order } from "../orders/order.ts";
import type { Payment } from "../orders/payment.ts";

export interface AskPayment {
  readonly queryPayment: (merchantId: string, paymentId: string) => Promise<object>;
  /** The order's payments, whose refunds a success is compared with. */
  readonly loadPayments: (order: Order) => Promise<readonly Payment[]>;
  readonly sendToInbox: SendToInbox;
  readonly traceparent: () => string;
  readonly now: () => number;
  readonly random: () => number;
}

/** The status of a payment at the service. */
interface Answered {
  readonly status: PaymentStatus;
  /** Whether it confirms the order's status, as stored or as `news` will change it. */
  readonly isConfirmation: boolean;
}

/**
 * The result of a query. `news` was sent to the inbox, and `order` is the order after it. `nothing-new`: the fact is
 * known, but it may add a detail to the order, which was then sent there, too. `refund-status` does not show that the
 * whole amount was paid, so it is not news; `noted` adds it to an order. `refused` and `unreadable` are responses too,
 * but they say nothing about the payment.
 */
export type Reply =
  | (Answered & { readonly kind: "nothing-new"; readonly order: Order })
  | (Answered & { readonly kind: "news"; readonly order: Order; readonly factId: string })
  | {
      readonly kind: "refund-status";
      readonly isConfirmation: boolean;
      readonly noted: (order: Order) => Order;
    }
  | { readonly kind: "refused" | "unreadable"; readonly error: unknown };

/**
 * Queries the service about one payment of an order. Throws if there is no response, or if the inbox does not accept
 * it.
 */
export async function askPayment(
  order: Order,
  paymentId: string,
  deps: AskPayment,
): Promise<Reply> {
  const { merchantId, orderNo } = order;
  let answer: object;
  try {
    answer = await deps.queryPayment(merchantId, paymentId);
  } catch (error) {
    if (error instanceof GatewayError && error.failure === "refused")
      return { kind: "refused", error };
    throw error;
  }
  const asked = { merchantId, orderNo, paymentId, answer };
  const received = { receivedAtMilliseconds: deps.now(), traceparent: deps.traceparent() };
  return await learn(order, { ...asked, ...received }, deps);
}

async function learn(order: Order, asked: Asked, deps: AskPayment): Promise<Reply> {
  let message: QueryMessage;
  let fact: PaymentFact | undefined;
  try {
    message = queryMessageOf(asked);
    fact = paymentFactIn(message);
  } catch (error) {
    return { kind: "unreadable", error };
  }
  const { paymentId, answer } = asked;
  const refundStatus = refundStatusIn(answer);
  const mayBePaid = refundStatus !== undefined || (fact !== undefined && isPaid(fact.status));
  const payments = mayBePaid ? await deps.loadPayments(order) : [];
  // The amount may be the refund's, so it must equal the amount of the order.
  if (refundStatus !== undefined && !isExpected(order, fact?.amount)) {
    const noted = (to: Order) =>
      withRefundAnswer(to, payments, refundStatus, asked.receivedAtMilliseconds);
    return { kind: "refund-status", isConfirmation: isPaid(order.status), noted };
  }
  if (fact === undefined) {
    return { kind: "nothing-new", order, ...compare(order, paymentId, "pending") };
  }
  const applied = applyPaymentFact(order, fact, { payments });
  const answered = compare(applied.aggregate, paymentId, fact.status);
  if (applied.aggregate !== order) await deps.sendToInbox(queryEntry(message));
  if (applied.kind === "known") {
    return { kind: "nothing-new", order: applied.aggregate, ...answered };
  }
  // The sequence is assigned when the fact is recorded.
  const next = { ...applied.aggregate, sequence: order.sequence };
  return { kind: "news", order: next, factId: applied.factId, ...answered };
}

/** A payment of an attempt that the order does not follow says nothing about the order, unless it is paid. */
function compare(order: Order, paymentId: string, status: PaymentStatus): Answered {
  const counts = isPaid(status) || attemptRoleOf(order, { paymentId }) !== "other";
  return { status, isConfirmation: counts && order.status === status };
}

function paymentFactIn(message: QueryMessage): PaymentFact | undefined {
  const fact = readFact(message);
  return fact?.kind === "payment" ? fact : undefined;
}
