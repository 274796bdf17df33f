import type { PaymentFact } from "../facts/fact.ts";
import { readFact } from "../facts/read-fact.ts";
import { hasRefundStatus } from "../facts/subject.ts";
import { GatewayError } from "../gateway/gateway-error.ts";
import type { QueryMessage } from "../inbox/inbox-message.ts";
import {
  type Asked,
  queryEntry,
  queryMessageOf,
  type SendToInbox,
} from "../inbox/send-to-inbox.ts";
import { applyPaymentFact } from "../orders/apply-payment-fact.ts";
import type { Order } from "../orders/order.ts";

export interface AskPayment {
  readonly queryPayment: (merchantId: string, paymentId: string) => Promise<object>;
  readonly sendToInbox: SendToInbox;
  readonly traceparent: () => string;
  readonly now: () => number;
  readonly random: () => number;
}

/**
 * What the service told about a payment. `news` is in the inbox, and `order` is what it will make of the order.
 * `refund-status` shows only that the payment was paid. `refused` and `unreadable` are answers too, but they say
 * nothing about the payment.
 */
export type Reply =
  | { readonly kind: "nothing-new" }
  | { readonly kind: "news"; readonly order: Order; readonly factId: string }
  | { readonly kind: "refund-status" }
  | { readonly kind: "refused" | "unreadable"; readonly error: unknown };

/** Asks the service about one payment of an order. Throws if there is no answer, or if the inbox does not accept it. */
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
  if (hasRefundStatus(answer)) return { kind: "refund-status" };
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
  if (fact === undefined) return { kind: "nothing-new" };
  const applied = applyPaymentFact(order, fact);
  if (applied.kind === "known") return { kind: "nothing-new" };
  await deps.sendToInbox(queryEntry(message));
  // The sequence is assigned when the fact is recorded.
  const told = { ...applied.aggregate, sequence: order.sequence };
  return { kind: "news", order: told, factId: applied.factId };
}

function paymentFactIn(message: QueryMessage): PaymentFact | undefined {
  const fact = readFact(message);
  return fact?.kind === "payment" ? fact : undefined;
}
