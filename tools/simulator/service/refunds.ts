import { randomBytes } from "node:crypto";
import type { CallbackSender } from "../callbacks/callback-sender.ts";
import { decimalText, readMoney } from "../orders/money.ts";
import { newTransactionId, type Order, type Refund, refundable } from "../orders/order.ts";
import { Refusal, refusalCodes } from "../orders/refusal.ts";
import { refundResult } from "../orders/result-object.ts";
import type { Clock } from "./clock.ts";

export interface RefundRequest {
  /** A decimal in the order's currency. Default: the remaining amount. */
  amount?: string | undefined;
  outcome?: "success" | "failed" | undefined;
  referRefundNo?: string | undefined;
}

export interface RefundDependencies {
  clock: Clock;
  callbacks: CallbackSender;
  /** How long a refund is `refunding`, on the simulator's clock. */
  refundingSeconds: number;
}

/** Starts a refund of a paid order (§3.2). Several refunds are possible, never more than was paid. */
export function startRefund(
  order: Order,
  request: RefundRequest,
  dependencies: RefundDependencies,
): Refund {
  const { clock, refundingSeconds } = dependencies;
  const dueMilliseconds = clock.nowMilliseconds() + refundingSeconds * 1000;
  const refund = newRefund(order, request, {
    dueMilliseconds,
    refundTimeMilliseconds: clock.wireMilliseconds(),
  });
  order.refunds.push(refund);
  awaitRefund(order, refund, dependencies);
  return refund;
}

/** Ends the refund when it is due. */
export function awaitRefund(
  order: Order,
  refund: Refund,
  { clock, callbacks }: Pick<RefundDependencies, "clock" | "callbacks">,
): void {
  const { outcome, dueMilliseconds } = refund;
  clock.at(dueMilliseconds, () => {
    refund.status = `refund_${outcome}`;
    refund.completeTimeMilliseconds = clock.wireMilliseconds();
    refund.msg = outcome === "failed" ? "the refund was declined" : undefined;
    const result = refundResult(order, refund);
    callbacks.send(order, `payment.refund.${outcome}`, result, dueMilliseconds);
  });
}

function newRefund(
  order: Order,
  request: RefundRequest,
  times: Pick<Refund, "dueMilliseconds" | "refundTimeMilliseconds">,
): Refund {
  const available = refundable(order);
  const amount = readMoney(request.amount ?? decimalText(available), available.currency);
  if (order.status !== "success") {
    throw new Refusal(refusalCodes.wrongState, `the order is ${order.status}, not paid`);
  }
  if (amount === undefined || amount.minorUnits === 0n) {
    throw new Refusal(
      refusalCodes.bodyField,
      `amount must be a decimal above zero in ${available.currency}`,
    );
  }
  if (amount.minorUnits > available.minorUnits) {
    throw new Refusal(
      refusalCodes.bodyField,
      `amount must be at most ${decimalText(available)}, the amount that can still be refunded`,
    );
  }
  return {
    refundId: randomBytes(16).toString("hex"),
    referRefundNo: request.referRefundNo ?? `R${randomBytes(6).toString("hex").toUpperCase()}`,
    transactionId: newTransactionId(),
    amount,
    outcome: request.outcome ?? "success",
    ...times,
    status: "refunding",
    completeTimeMilliseconds: undefined,
    msg: undefined,
  };
}
