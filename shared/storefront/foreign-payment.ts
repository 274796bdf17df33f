import { paymentDetails } from "../orders/apply-fact.ts";
import { newOrder, type Order, paymentKeyOf } from "../orders/order.ts";
import { merchantDiffers } from "../orders/read-fact.ts";
import { readPaymentResult } from "../orders/result-object.ts";

/** A payment that the service knows and the table does not, as an order that is answered with and not kept. */
export function foreignPayment(
  merchantId: string,
  paymentId: string,
  answer: object,
  nowMilliseconds: number,
): Order {
  const { fact, namedMerchantId } = readPaymentResult(answer, {
    merchantId,
    origin: "query",
    learnedAtMilliseconds: nowMilliseconds,
  });
  if (namedMerchantId !== undefined && namedMerchantId !== merchantId) throw merchantDiffers();
  return {
    ...newOrder(paymentKeyOf(merchantId, paymentId), merchantId, fact.orderNo),
    status: fact.status,
    payment: paymentDetails(fact),
    paymentIds: [paymentId],
  };
}
