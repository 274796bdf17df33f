import type { Merchant } from "../merchants/merchant.ts";
import type { Money } from "./money.ts";

/** §3.1 */
export type PaymentStatus = "pending" | "confirming" | "timeout" | "failed" | "success";
/** §3.2 */
type RefundStatus = "refunding" | "refund_success" | "refund_failed";

/** §6 */
export type EventName =
  | `payment.order.${Exclude<PaymentStatus, "pending">}`
  | "payment.refund.success"
  | "payment.refund.failed";

export interface Order {
  readonly paymentId: string;
  readonly merchant: Merchant;
  readonly orderNo: string;
  /** True if answers and callbacks have only the first 32 characters of the number (§2.7, §2.9). */
  readonly isNumberShort: boolean;
  readonly channel: "WEB" | "APP";
  readonly description: string | undefined;
  readonly goods: readonly OrderedGoods[];
  readonly amount: Money;
  readonly createdMilliseconds: number;
  readonly paymentTimeMilliseconds: number;
  /** On the simulator's clock. */
  readonly expiresMilliseconds: number;
  readonly callbackUrl: string | undefined;
  readonly redirectUrl: string | undefined;
  /** Equal for a repeated create, different for another content with the same order number. */
  readonly fingerprint: string;
  status: PaymentStatus;
  transactionId: string | undefined;
  completeTimeMilliseconds: number | undefined;
  msg: string | undefined;
  /** Payments that are confirming, with the outcome that they will have. */
  submissions: readonly Submission[];
  readonly refunds: Refund[];
  readonly callbacks: Callback[];
}

export interface Submission {
  readonly outcome: "success" | "failed";
  readonly transactionId: string;
  /** On the simulator's clock. */
  readonly dueMilliseconds: number;
}

interface OrderedGoods {
  readonly name: string;
  readonly quantity: string | undefined;
  readonly unitAmount: Money | undefined;
}

export interface Refund {
  readonly refundId: string;
  readonly referRefundNo: string;
  readonly transactionId: string;
  readonly amount: Money;
  readonly refundTimeMilliseconds: number;
  /** What the refund will end with, and when on the simulator's clock. */
  readonly outcome: "success" | "failed";
  readonly dueMilliseconds: number;
  status: RefundStatus;
  completeTimeMilliseconds: number | undefined;
  msg: string | undefined;
}

type CallbackState = "waiting" | "held back" | "delivered" | "given up" | "lost" | "no address";

export interface Callback {
  /** §2.10: a retry has the same id. */
  readonly id: string;
  readonly eventName: string;
  readonly attempts: Attempt[];
  state: CallbackState;
  /** On the simulator's clock. */
  nextAttemptMilliseconds: number | undefined;
}

/** One POST to the merchant, and its answer. */
interface Attempt {
  readonly startedMilliseconds: number;
  readonly durationMilliseconds: number;
  readonly faults: readonly string[];
  /** Undefined if there was no answer. `detail` then says why. */
  readonly httpStatus: number | undefined;
  readonly detail: string;
}

/** The amount that can still be refunded. Refunds in progress reduce it, failed ones do not. */
export function refundable(order: Order): Money {
  const { currency, minorUnits } = order.amount;
  if (order.status !== "success") return { currency, minorUnits: 0n };
  const taken = order.refunds
    .filter((refund) => refund.status !== "refund_failed")
    .reduce((sum, refund) => sum + refund.amount.minorUnits, 0n);
  return { currency, minorUnits: minorUnits - taken };
}
