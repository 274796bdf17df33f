import type { Amount } from "../money/amount.ts";
import type { RefundStatus } from "./event-types.ts";
import { readPaymentResult } from "./read-result.ts";
import { isResultObject, refundStatusIn } from "./subject.ts";

/** A query's result with a refund status (§3.2): the payment was paid before. */
export interface RefundAnswer {
  readonly refundStatus: RefundStatus;
  readonly namedMerchantId: string | undefined;
  /** `payAmount` (§2.9). Undefined if it is absent or cannot be read. */
  readonly amount: Amount | undefined;
  /** Why the refund failed. */
  readonly reason: string | undefined;
}

/**
 * Undefined if the result has the payment's own status. The order number, the transaction and the times may be the
 * refund's (§2.9), so they are not read.
 */
export function readRefundAnswer(result: unknown): RefundAnswer | undefined {
  const refundStatus = refundStatusIn(result);
  if (refundStatus === undefined || !isResultObject(result)) return undefined;
  const { merchantId, payAmount, currency, msg } = result;
  // Read like a status without money: an amount that cannot be read is omitted.
  const readable = { merchantId, payAmount, currency, msg, status: "pending" };
  const { namedMerchantId, state, details } = readPaymentResult(readable, "query");
  return { refundStatus, namedMerchantId, amount: state.amount, reason: details.reason };
}
