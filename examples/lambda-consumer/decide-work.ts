import type {
  Amount,
  AmountWithoutCurrency,
  KnownEvent,
  PaymentOrderSuccess,
} from "paycast-events";

/** What this team has to do because of an event. The same work always has the same `key`. */
export interface Work {
  readonly kind: "shipment" | "refund" | "question";
  readonly key: string;
  readonly orderNo: string;
  readonly amount: Amount | AmountWithoutCurrency;
}

/** Decides by the fact, even a late one. Most events only update the order's snapshot. */
export function decideWork(event: KnownEvent): Work | undefined {
  switch (event.type) {
    case "payment.order.success":
      return shipOrAsk(event);
    case "payment.refund.success": {
      const { merchantId, paymentId, refundId, orderNo = "unknown", amount } = event.data;
      const key = `refund#${merchantId}#${paymentId}#${refundId}`;
      return { kind: "refund", key, orderNo, amount };
    }
    default:
      return undefined;
  }
}

/** The money arrived, but a person must check the payment before it ships. */
const questionFlags = [
  "mismatch",
  "contradicted",
  "refunded",
  "duplicatePayment",
  "unknownOrder",
  "refusedOrder",
];

function shipOrAsk({ id, data }: PaymentOrderSuccess): Work {
  const { merchantId, orderNo, amount, flags } = data;
  if (flags.some((flag) => questionFlags.includes(flag))) {
    return { kind: "question", key: `question#${id}`, orderNo, amount };
  }
  return { kind: "shipment", key: `shipment#${merchantId}#${orderNo}`, orderNo, amount };
}
