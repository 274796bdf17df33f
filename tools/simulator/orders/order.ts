import { randomBytes } from "node:crypto";
import * as z from "zod";
import type { Merchant } from "../merchants/merchant.ts";
import type { Money } from "./money.ts";

/** JSON has no undefined, so the file that keeps orders has null in its place. */
export function maybe<T extends z.ZodType>(schema: T) {
  return schema.nullable().transform((value) => value ?? undefined);
}

const money = z.object({ currency: z.string(), minorUnits: z.string().transform(BigInt) });
const outcome = z.enum(["success", "failed"]);
/** A time on the simulator's clock. */
const simulatedMilliseconds = z.number();

/** A confirming payment, with the outcome that it will have. */
const submission = z.object({
  outcome,
  transactionId: z.string(),
  dueMilliseconds: simulatedMilliseconds,
});

const refund = z.object({
  refundId: z.string(),
  referRefundNo: z.string(),
  transactionId: z.string(),
  amount: money,
  refundTimeMilliseconds: z.number(),
  /** How the refund will end, and when. */
  outcome,
  dueMilliseconds: simulatedMilliseconds,
  /** §3.2 */
  status: z.enum(["refunding", "refund_success", "refund_failed"]),
  completeTimeMilliseconds: maybe(z.number()),
  msg: maybe(z.string()),
});

/** One POST to the merchant, and its response. */
const attempt = z.object({
  startedMilliseconds: z.number(),
  durationMilliseconds: z.number(),
  faults: z.array(z.string()).readonly(),
  /** Undefined if there was no response. `detail` then says why. */
  httpStatus: maybe(z.int()),
  detail: z.string(),
});

export const callbackSchema = z.object({
  /** §2.10: a retry has the same id. */
  id: z.string(),
  eventName: z.string(),
  attempts: z.array(attempt),
  state: z.enum(["waiting", "held back", "delivered", "given up", "lost", "no address"]),
  nextAttemptMilliseconds: maybe(simulatedMilliseconds),
});

/** An order as stored in a file, without its merchant and its callbacks. */
export const orderSchema = z.object({
  paymentId: z.string(),
  orderNo: z.string(),
  /** True if responses and callbacks contain only the first 32 characters of the number (§2.7, §2.9). */
  isNumberShort: z.boolean(),
  channel: z.enum(["WEB", "APP"]),
  description: maybe(z.string()),
  goods: z.array(
    z.object({ name: z.string(), quantity: maybe(z.string()), unitAmount: maybe(money) }),
  ),
  amount: money,
  createdMilliseconds: z.number(),
  paymentTimeMilliseconds: z.number(),
  paymentExpiryTimeMilliseconds: z.number(),
  expiresMilliseconds: simulatedMilliseconds,
  callbackUrl: maybe(z.string()),
  redirectUrl: maybe(z.string()),
  /** Equal for a repeated create, different if the content differs. */
  fingerprint: z.string(),
  /** §3.1 */
  status: z.enum(["pending", "confirming", "timeout", "failed", "success"]),
  transactionId: maybe(z.string()),
  completeTimeMilliseconds: maybe(z.number()),
  msg: maybe(z.string()),
  submissions: z.array(submission),
  refunds: z.array(refund),
});

export type Submission = z.output<typeof submission>;
export type Refund = z.output<typeof refund>;
export type Callback = z.output<typeof callbackSchema>;
export type PaymentStatus = Order["status"];

export interface Order extends z.output<typeof orderSchema> {
  readonly merchant: Merchant;
  readonly callbacks: Callback[];
}

/** §6 */
export type EventName =
  | `payment.order.${Exclude<PaymentStatus, "pending">}`
  | "payment.refund.success"
  | "payment.refund.failed";

/** The amount that can still be refunded. Refunds in progress reduce it, failed ones do not. */
export function refundable(order: Order): Money {
  const { currency, minorUnits } = order.amount;
  if (order.status !== "success") return { currency, minorUnits: 0n };
  const taken = order.refunds
    .filter((refund) => refund.status !== "refund_failed")
    .reduce((sum, refund) => sum + refund.amount.minorUnits, 0n);
  return { currency, minorUnits: minorUnits - taken };
}

/** §2.9: at most 30 characters. */
export function newTransactionId(): string {
  return `T${randomBytes(14).toString("hex").toUpperCase()}`;
}
