import * as z from "zod/mini";
import { describeIssues } from "../describe-issues.ts";
import { paymentStatuses, refundStatuses } from "../events/event-types.ts";
import { readAmount, readAmountWithoutCurrency } from "../money/amount.ts";
import { PaycastError } from "../paycast-error.ts";
import { timestampSchema } from "../time/timestamp.ts";
import type { Fact, PaymentFact, RefundFact } from "./fact.ts";

/**
 * Ids and numbers are at most 64 characters anywhere in the interface; half a surrogate pair cannot be stored.
 * Lengths are refined: the schema library's own checks of length throw on an object that has a `length`.
 */
const identifierText = z.string().check(
  z.refine((text) => text !== "", "must not be empty"),
  z.refine((text) => [...text].length <= 64, "must be at most 64 characters long"),
  z.refine((text) => text.isWellFormed(), "must be text"),
);

/** A sender may write an id of digits as a number. */
const identifier = z.pipe(
  z.transform((value: unknown) => (Number.isSafeInteger(value) ? String(value) : value)),
  identifierText,
);
const reasonText = z.string().check(
  z.refine((text) => text.length <= 4096, "must be at most 4096 characters long"),
  z.refine((text) => text.isWellFormed(), "must be text"),
);
const amountInput = z.union(
  [z.number(), z.string()],
  "must be a number, or a string that holds one",
);

const told = {
  merchantId: z.optional(identifier),
  transactionId: z.optional(identifier),
  msg: z.optional(reasonText),
  completeTime: z.optional(timestampSchema),
  paidTime: z.optional(timestampSchema),
};

/** §2.11 by callback and §2.9 by query, with either of two names where the interface has two. */
const paymentResult = z.object({
  ...told,
  referOrderNo: z.optional(identifier),
  outOrderNo: z.optional(identifier),
  paymentAmount: z.optional(amountInput),
  payAmount: z.optional(amountInput),
  currency: z.optional(z.string()),
  paymentTime: z.optional(timestampSchema),
  status: z.enum(paymentStatuses),
});

/** An order's refunds are kept by their ids; the one name that an object cannot hold would be lost. */
const refundId = z.pipe(
  identifier,
  z.string().check(z.refine((text) => text !== "__proto__", "must be another name")),
);

/** §2.12. */
const refundResult = z.object({
  ...told,
  refundId,
  paymentId: identifier,
  referRefundNo: z.optional(identifier),
  refundAmount: z.optional(amountInput),
  refundTime: z.optional(timestampSchema),
  status: z.enum(refundStatuses),
});

/** Of whom it was learned, how and when. */
export type Learned = Pick<Fact, "merchantId" | "origin" | "learnedAtMilliseconds">;

export interface ReadFact<F> {
  readonly fact: F;
  /** The merchant that the result object itself names, to be held against the envelope's. */
  readonly namedMerchantId: string | undefined;
}

/** A query's answer may name another number than the order's (§2.9), so the number is not taken for granted. */
export type PaymentTold = Omit<PaymentFact, "orderNo"> & { readonly orderNo: string | undefined };

/** Reads what a payment's result object states. Throws `result-unreadable` or an amount's own code. */
export function readPaymentResult(result: unknown, learned: Learned): ReadFact<PaymentTold> {
  const fields = parse(paymentResult, result);
  const amount = fields.paymentAmount ?? fields.payAmount;
  if (fields.status === "success" && (amount === undefined || fields.currency === undefined)) {
    throw unreadable("a success must name paymentAmount and currency");
  }
  const fact: PaymentTold = {
    kind: "payment",
    ...learned,
    orderNo: fields.referOrderNo ?? fields.outOrderNo,
    status: fields.status,
    transactionId: fields.transactionId,
    amount:
      amount === undefined || fields.currency === undefined
        ? undefined
        : readAmount(amount, fields.currency),
    reason: fields.msg,
    createdAtMilliseconds: fields.paymentTime,
    completedAtMilliseconds: fields.completeTime ?? fields.paidTime,
  };
  return { fact, namedMerchantId: fields.merchantId };
}

/** Reads what a refund's result object states. Throws `result-unreadable` or an amount's own code. */
export function readRefundResult(result: unknown, learned: Learned): ReadFact<RefundFact> {
  const fields = parse(refundResult, result);
  const { refundAmount } = fields;
  if (fields.status === "refund_success" && refundAmount === undefined) {
    throw unreadable("a successful refund must name refundAmount");
  }
  const fact: RefundFact = {
    kind: "refund",
    ...learned,
    refundId: fields.refundId,
    paymentId: fields.paymentId,
    refundNo: fields.referRefundNo,
    status: fields.status,
    transactionId: fields.transactionId,
    amount: refundAmount === undefined ? undefined : readAmountWithoutCurrency(refundAmount),
    reason: fields.msg,
    createdAtMilliseconds: fields.refundTime,
    completedAtMilliseconds: fields.completeTime ?? fields.paidTime,
  };
  return { fact, namedMerchantId: fields.merchantId };
}

/** No field is marked as required (§2.11, §2.12): null, the empty string and a time of 0 count as absent. */
function withoutEmpty(result: unknown): unknown {
  if (typeof result !== "object" || result === null || Array.isArray(result)) return result;
  return Object.fromEntries(
    Object.entries(result).filter(([name, value]) => !isEmpty(name, value)),
  );
}

function isEmpty(name: string, value: unknown): boolean {
  if (value === null || value === "") return true;
  return name.endsWith("Time") && (value === 0 || value === "0");
}

function parse<T extends z.ZodMiniType>(schema: T, result: unknown): z.output<T> {
  const fields = schema.safeParse(withoutEmpty(result));
  if (fields.success) return fields.data;
  throw unreadable(describeIssues(fields.error, "result object"));
}

function unreadable(problem: string): PaycastError {
  return new PaycastError("result-unreadable", `The result object cannot be read: ${problem}.`);
}
