import * as z from "zod/mini";
import { describeIssues } from "../describe-issues.ts";
import { paymentStatuses, refundStatuses } from "../events/event-types.ts";
import { readAmount, readAmountWithoutCurrency } from "../money/amount.ts";
import { PaycastError } from "../paycast-error.ts";
import { timestampSchema } from "../time/timestamp.ts";
import type { Fact, PaymentFact, RefundFact } from "./fact.ts";

/**
 * Ids and numbers are at most 64 characters anywhere in the interface; half a surrogate pair cannot be stored.
 * One refinement each: every check costs as much as a field, and the schema library's own checks of length
 * throw on an object that has a `length`.
 */
const identifier = z
  .string()
  .check(
    z.refine(
      (text) => text !== "" && isWithin(text, 64) && text.isWellFormed(),
      "must be text of 1 to 64 characters",
    ),
  );
const reasonText = z
  .string()
  .check(
    z.refine(
      (text) => text.length <= 4096 && text.isWellFormed(),
      "must be text of at most 4096 characters",
    ),
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
const refundId = identifier.check(z.refine((text) => text !== "__proto__", "must be another name"));

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

/** What a sender may write as a number, since it is one of digits. */
const identifierNames = new Set([
  "transactionId",
  "referOrderNo",
  "outOrderNo",
  "refundId",
  "paymentId",
  "referRefundNo",
]);

/** No field is marked as required (§2.11, §2.12): null, the empty string and a time of 0 count as absent. */
function withOneSpelling(result: unknown): unknown {
  if (typeof result !== "object" || result === null || Array.isArray(result)) return result;
  const spelled: Record<string, unknown> = { ...result };
  for (const name of Object.keys(spelled)) {
    const value = spelled[name];
    if (value === null || value === "" || isNoTime(name, value)) spelled[name] = undefined;
    else if (identifierNames.has(name) && Number.isSafeInteger(value))
      spelled[name] = String(value);
  }
  return spelled;
}

function isNoTime(name: string, value: unknown): boolean {
  return (value === 0 || value === "0") && name.endsWith("Time");
}

/** In characters, which are counted only where there are more code units. */
function isWithin(text: string, characters: number): boolean {
  return text.length <= characters || [...text].length <= characters;
}

function parse<T extends z.ZodMiniType>(schema: T, result: unknown): z.output<T> {
  const fields = schema.safeParse(withOneSpelling(result));
  if (fields.success) return fields.data;
  throw unreadable(describeIssues(fields.error, "result object"));
}

function unreadable(problem: string): PaycastError {
  return new PaycastError("result-unreadable", `The result object cannot be read: ${problem}.`);
}
