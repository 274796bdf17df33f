import type {
  Amount,
  AmountWithoutCurrency,
  KnownEvent,
  PaymentOrderSuccess,
} from "paycast-events";

/** What this team has to do because of an event. `key` is the same whenever the same work is meant. */
export interface Work {
  readonly kind: "shipment" | "refund" | "question";
  readonly key: string;
  readonly orderNo: string;
  readonly amount: Amount | AmountWithoutCurrency;
}

/** Decides by the fact, also if it comes late. Most events are only news for the order's snapshot. */
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

/** A payment with a wrong amount, or a second one of the same order, is a question for a person. */
function shipOrAsk({ id, data }: PaymentOrderSuccess): Work {
  const { merchantId, orderNo, amount, flags } = data;
  if (flags.includes("mismatch") || flags.includes("duplicatePayment")) {
    return { kind: "question", key: `question#${id}`, orderNo, amount };
  }
  return { kind: "shipment", key: `shipment#${merchantId}#${orderNo}`, orderNo, amount };
}
