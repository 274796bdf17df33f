import type { Amount, AmountWithoutCurrency } from "../money/amount.ts";
import { sha256Of } from "../sha256.ts";
import type {
  OrderEventType,
  PaymentStatus,
  RefundEventType,
  RefundStatus,
} from "./event-types.ts";
import type { Flag } from "./flags.ts";

/** What a result object states. However often it is told, it is one fact and one event. */
export type Fact = PaymentFact | RefundFact;

type Origin = "callback" | "query";

interface Stated {
  readonly merchantId: string;
  /** How and when it was learned; not part of the fact's identity. */
  readonly origin: Origin;
  readonly learnedAtMilliseconds: number;
  readonly transactionId?: string | undefined;
  /** The service's words on an exception (§2.11, §2.12). */
  readonly reason?: string | undefined;
  readonly createdAtMilliseconds?: number | undefined;
  readonly completedAtMilliseconds?: number | undefined;
  /** What could not be read and was left out. */
  readonly noted: readonly Flag[];
}

interface PaymentStated extends Stated {
  readonly kind: "payment";
  readonly type: OrderEventType;
  readonly orderNo: string;
  /** Only a query names it (§2.11 has none). */
  readonly paymentId?: string | undefined;
  readonly status: PaymentStatus;
}

/** A success always has its amount: money moved. */
export type SuccessFact = PaymentStated & { readonly status: "success"; readonly amount: Amount };

export type PaymentFact =
  | SuccessFact
  | (PaymentStated & {
      readonly status: Exclude<PaymentStatus, "success">;
      readonly amount?: Amount | undefined;
    });

export interface RefundFact extends Stated {
  readonly kind: "refund";
  readonly type: RefundEventType;
  readonly refundId: string;
  readonly paymentId: string;
  readonly refundNo?: string | undefined;
  readonly status: RefundStatus;
  /** As told: a refund names no currency, its payment's order does. */
  readonly amount?: AmountWithoutCurrency | undefined;
}

/**
 * The identity of a payment's fact, the `id` of its event. `attempt` sets apart the same words about another
 * attempt to create the order, so that the end of the one is not taken for the end of the other.
 */
export function paymentFactId(fact: PaymentFact, attempt?: string): string {
  const { merchantId, orderNo, status, transactionId = "" } = fact;
  const parts = ["payment", merchantId, orderNo, status, transactionId];
  return sha256Of(...parts, ...(attempt === undefined ? [] : [attempt]));
}

/** A refund's number is one "for the payment" (§2.12): another payment may have the same. */
export function refundFactId({ merchantId, paymentId, refundId, status }: RefundFact): string {
  return sha256Of("refund", merchantId, paymentId, refundId, status);
}
