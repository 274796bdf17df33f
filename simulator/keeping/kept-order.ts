import * as z from "zod";
import type { Merchant } from "../merchants/merchant.ts";
import type { Order } from "../orders/order.ts";
import { keptCallbackSchema } from "./kept-callback.ts";
import { maybe } from "./maybe.ts";

const money = z.object({ currency: z.string(), minorUnits: z.string().transform(BigInt) });
const outcome = z.enum(["success", "failed"]);

const goods = z.object({
  name: z.string(),
  quantity: maybe(z.string()),
  unitAmount: maybe(money),
});

const submission = z.object({
  outcome,
  transactionId: z.string(),
  dueMilliseconds: z.number(),
});

const refund = z.object({
  refundId: z.string(),
  referRefundNo: z.string(),
  transactionId: z.string(),
  amount: money,
  refundTimeMilliseconds: z.number(),
  outcome,
  dueMilliseconds: z.number(),
  status: z.enum(["refunding", "refund_success", "refund_failed"]),
  completeTimeMilliseconds: maybe(z.number()),
  msg: maybe(z.string()),
});

export const keptOrderSchema = z.object({
  paymentId: z.string(),
  merchantId: z.string(),
  orderNo: z.string(),
  isNumberShort: z.boolean(),
  channel: z.enum(["WEB", "APP"]),
  description: maybe(z.string()),
  goods: z.array(goods),
  amount: money,
  createdMilliseconds: z.number(),
  paymentTimeMilliseconds: z.number(),
  expiresMilliseconds: z.number(),
  callbackUrl: maybe(z.string()),
  redirectUrl: maybe(z.string()),
  fingerprint: z.string(),
  status: z.enum(["pending", "confirming", "timeout", "failed", "success"]),
  transactionId: maybe(z.string()),
  completeTimeMilliseconds: maybe(z.number()),
  msg: maybe(z.string()),
  submissions: z.array(submission),
  refunds: z.array(refund),
  callbacks: z.array(keptCallbackSchema),
});

export type KeptOrder = z.output<typeof keptOrderSchema>;

/** The order without its callbacks, which are added one by one. */
export function orderOf(
  { merchantId: _id, callbacks: _, ...kept }: KeptOrder,
  merchant: Merchant,
): Order {
  return { ...kept, merchant, callbacks: [] };
}
