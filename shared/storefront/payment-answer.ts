import * as z from "zod/mini";
import { paymentStatuses } from "../events/event-types.ts";
import type { Order } from "../orders/order.ts";

/** The answer of POST /orders: the fields of §2.7. */
export const paymentAnswerSchema = z.object({
  paymentId: z.string(),
  referOrderNo: z.string(),
  channel: z.string(),
  checkoutUrl: z.string(),
  status: z.enum(paymentStatuses),
});

export type PaymentAnswer = z.output<typeof paymentAnswerSchema>;

/** Of an order that was created before, with the status it has now. */
export function paymentAnswerOf(order: Order): PaymentAnswer | undefined {
  const { create, orderNo, status } = order;
  if (create?.paymentId === undefined || create.checkoutUrl === undefined) return undefined;
  const { paymentId, checkoutUrl, channel } = create;
  return { paymentId, referOrderNo: orderNo ?? "", channel, checkoutUrl, status };
}
