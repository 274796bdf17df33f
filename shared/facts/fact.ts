import type { Amount, AmountWithoutCurrency } from "../money/amount.ts";
import { sha256Of } from "../sha256.ts";
import type {
  OrderEventType,
  PaidStatus,
  PaymentStatus,
  RefundEventType,
  RefundStatus,
} from "./event-types.ts";
import type { Flag } from "./flags.ts";

/** What a result object states. However often it is reported, it is one fact and one event. */
export type Fact = PaymentFact | RefundFact;

type Origin = "callback" | "query";

interface Stated {
  readonly merchantId: string;
  /** How and when it became known. Not part of the fact's identity. */
  readonly origin: Origin;
  readonly learnedAtMilliseconds: number;
  readonly transactionId?: string | undefined;
  /** The service's message about a failure (§2.11, §2.12). */
  readonly reason?: string | undefined;
  readonly createdAtMilliseconds?: number | undefined;
  /** True if that time was sent without milliseconds, so it equals any time in its second. */
  readonly isCreatedAtWholeSecond?: boolean | undefined;
  readonly completedAtMilliseconds?: number | undefined;
  /** Flags for fields that could not be read and are omitted. */
  readonly noted: readonly Flag[];
}

interface PaymentStated extends Stated {
  readonly kind: "payment";
  readonly type: OrderEventType;
  readonly orderNo: string;
  /** Only a query's result has it (§2.11 does not). */
  readonly paymentId?: string | undefined;
  readonly status: PaymentStatus;
}

/** A success always has its amount, because money moved. */
export type SuccessFact = PaymentStated & {
  readonly status: PaidStatus;
  readonly amount: Amount;
  /** The refund status that a query returned. It shows that the payment was paid before. */
  readonly refundStatus?: RefundStatus | undefined;
};

export type PaymentFact =
  | SuccessFact
  | (PaymentStated & {
      readonly status: Exclude<PaymentStatus, PaidStatus>;
      readonly amount?: Amount | undefined;
    });

export interface RefundFact extends Stated {
  readonly kind: "refund";
  readonly type: RefundEventType;
  readonly refundId: string;
  readonly paymentId: string;
  readonly refundNo?: string | undefined;
  readonly status: RefundStatus;
  /** As the service sent it, without a currency: the refund's currency is that of the order. */
  readonly amount?: AmountWithoutCurrency | undefined;
}

/**
 * The identity of a payment fact, and the `id` of its event. `attempt` separates equal facts about different attempts
 * to create the order, so that the end of one attempt is not taken for the end of another.
 */
export function paymentFactId(fact: PaymentFact, attempt?: string): string {
  const { merchantId, orderNo, status, transactionId = "" } = fact;
  const parts = ["payment", merchantId, orderNo, status, transactionId];
  return sha256Of(...parts, ...(attempt === undefined ? [] : [attempt]));
}

/** A refund id is unique only within its payment (§2.12), so the payment id is part of the identity. */
export function refundFactId({ merchantId, paymentId, refundId, status }: RefundFact): string {
  return sha256Of("refund", merchantId, paymentId, refundId, status);
}
