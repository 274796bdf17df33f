import type { PaymentStatus, RefundStatus } from "../events/event-types.ts";
import type { Amount, AmountWithoutCurrency } from "../money/amount.ts";
import { sha256Of } from "../sha256.ts";

/** What a result object states, once per status and transaction however often it is told. */
export type Fact = PaymentFact | RefundFact;

interface Told {
  readonly merchantId: string;
  /** How and when it was learned; no part of the fact's identity. */
  readonly origin: "callback" | "query";
  readonly learnedAtMilliseconds: number;
  readonly transactionId?: string | undefined;
  /** The service's words on an exception (§2.11, §2.12). */
  readonly reason?: string | undefined;
  readonly createdAtMilliseconds?: number | undefined;
  readonly completedAtMilliseconds?: number | undefined;
}

export interface PaymentFact extends Told {
  readonly kind: "payment";
  readonly orderNo: string;
  /** Only a query says it (§2.11 has none). */
  readonly paymentId?: string | undefined;
  readonly status: PaymentStatus;
  readonly amount?: Amount | undefined;
}

export interface RefundFact extends Told {
  readonly kind: "refund";
  readonly refundId: string;
  readonly paymentId: string;
  readonly refundNo?: string | undefined;
  readonly status: RefundStatus;
  /** As told: a refund names no currency, its payment's order does. */
  readonly amount?: AmountWithoutCurrency | undefined;
}

/** The identity of a fact, the `id` of its event: merchant, order or refund, status, transaction. */
export function factIdOf(fact: Fact): string {
  // A refund's number is one "for the payment" (§2.12): nothing says that no other payment has the same.
  const subject = fact.kind === "payment" ? [fact.orderNo] : [fact.paymentId, fact.refundId];
  return sha256Of(fact.kind, fact.merchantId, ...subject, fact.status, fact.transactionId ?? "");
}
