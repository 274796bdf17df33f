import { paymentDetails } from "../orders/apply-fact.ts";
import { newOrder, type Order, paymentKeyOf } from "../orders/order.ts";
import { readPaymentResult } from "../orders/result-object.ts";

/** A payment that the service knows and the table does not, as an order that is answered with and not kept. */
export function foreignPayment(
  merchantId: string,
  paymentId: string,
  answer: object,
  nowMilliseconds: number,
): Order {
  const { fact } = readPaymentResult(answer, {
    merchantId,
    origin: "query",
    learnedAtMilliseconds: nowMilliseconds,
  });
  return {
    ...newOrder(paymentKeyOf(merchantId, paymentId), merchantId, fact.orderNo),
    status: fact.status,
    payment: paymentDetails(fact),
    paymentIds: [paymentId],
  };
}
