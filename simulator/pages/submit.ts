import { Refusal, refusalCodes } from "../orders/refusal.ts";
import type { Service } from "../service/service.ts";

/** Does what the consumer or the user chose for an order, and says what that was. */
export function submit(service: Service, paymentId: string, action: string | undefined): string {
  const order = service.order(paymentId);
  switch (action) {
    case "pay":
      service.payments.submit(order, "success");
      return "The payment was submitted.";
    case "fail":
      service.payments.submit(order, "failed");
      return "The payment was submitted. It will fail.";
    case "expire":
      service.payments.expire(order);
      return "The order has expired.";
    default:
      throw new Refusal(refusalCodes.bodyField, "There is no such action.");
  }
}
