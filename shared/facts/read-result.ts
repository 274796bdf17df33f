import {
  type Amount,
  type AmountWithoutCurrency,
  readAmount,
  readAmountWithoutCurrency,
} from "../money/amount.ts";
import { PaycastError } from "../paycast-error.ts";
import { readTimestamp } from "../time/timestamp.ts";
import {
  type PaymentStatus,
  paymentStatuses,
  type RefundStatus,
  refundStatuses,
} from "./event-types.ts";
import { type Flag, raisedFlags } from "./flags.ts";
import { fieldOf, idIn } from "./subject.ts";

/**
 * Reads the result objects of §2.9, §2.11 and §2.12. What says who, what and how much must be readable, or
 * the object is refused as `result-unreadable` or with an amount's own code. Times and messages only inform:
 * what cannot be read of them is left out and noted. No field is marked as required there, so null, the empty
 * string and a time of 0 count as absent.
 */
interface ResultDetails {
  /** The merchant that the result object itself names, to be held against the envelope's. */
  readonly namedMerchantId: string | undefined;
  readonly transactionId: string | undefined;
  readonly reason: string | undefined;
  readonly createdAtMilliseconds: number | undefined;
  readonly completedAtMilliseconds: number | undefined;
  readonly noted: readonly Flag[];
}

export type PaymentResult = ResultDetails & {
  /** A query's answer may hold a refund's number here (§2.9). */
  readonly orderNo: string | undefined;
} & (
    | { readonly status: "success"; readonly amount: Amount }
    | {
        readonly status: Exclude<PaymentStatus, "success">;
        readonly amount: Amount | undefined;
      }
  );

export interface RefundResult extends ResultDetails {
  readonly refundId: string;
  readonly paymentId: string;
  readonly refundNo: string | undefined;
  readonly status: RefundStatus;
  readonly amount: AmountWithoutCurrency | undefined;
}

export function readPaymentResult(result: unknown): PaymentResult {
  const status = readStatus(result, paymentStatuses);
  const told = amountField(result, "paymentAmount") ?? amountField(result, "payAmount");
  const currency = idIn(result, "currency");
  const amount =
    told === undefined || currency === undefined ? undefined : readAmount(told, currency);
  const orderNo = identifier(result, "referOrderNo") ?? identifier(result, "outOrderNo");
  const details = { ...readDetails(result, "paymentTime"), orderNo };
  if (status !== "success") return { ...details, status, amount };
  if (amount === undefined) throw unreadable("a success must name paymentAmount and currency");
  return { ...details, status, amount };
}

export function readRefundResult(result: unknown): RefundResult {
  const status = readStatus(result, refundStatuses);
  const told = amountField(result, "refundAmount");
  if (status === "refund_success" && told === undefined) {
    throw unreadable("a successful refund must name refundAmount");
  }
  return {
    ...readDetails(result, "refundTime"),
    refundId: refundIdOf(result),
    paymentId: required(result, "paymentId"),
    refundNo: identifier(result, "referRefundNo"),
    status,
    amount: told === undefined ? undefined : readAmountWithoutCurrency(told),
  };
}

function readDetails(result: unknown, createdName: string): ResultDetails {
  const created = readTime(result, createdName);
  const completed = readTime(result, "completeTime") ?? readTime(result, "paidTime");
  const reason = readReason(fieldOf(result, "msg"));
  return {
    namedMerchantId: identifier(result, "merchantId"),
    transactionId: identifier(result, "transactionId"),
    reason: reason === "unreadable" ? undefined : reason?.text,
    createdAtMilliseconds: created === "unreadable" ? undefined : created,
    completedAtMilliseconds: completed === "unreadable" ? undefined : completed,
    noted: raisedFlags({
      unreadableTime: created === "unreadable" || completed === "unreadable",
      unreadableReason: reason === "unreadable",
    }),
  };
}

function readStatus<S extends string>(result: unknown, statuses: readonly S[]): S {
  if (typeof result !== "object" || result === null || Array.isArray(result)) {
    throw unreadable("it must be an object");
  }
  const told = fieldOf(result, "status");
  const status = statuses.find((candidate) => candidate === told);
  if (status !== undefined) return status;
  throw unreadable(`status must be one of ${statuses.join(", ")}`);
}

/** Ids and numbers are at most 64 characters anywhere in the interface (§8). */
const longestIdentifier = 64;

/** Half a surrogate pair cannot be stored. */
function identifier(result: unknown, name: string): string | undefined {
  const id = idIn(result, name);
  if (id === undefined) {
    const value = fieldOf(result, name);
    if (value === undefined || value === null || value === "") return undefined;
  } else if (isWithin(id, longestIdentifier) && id.isWellFormed()) {
    return id;
  }
  throw unreadable(`${name} must be text of 1 to ${longestIdentifier} characters`);
}

function required(result: unknown, name: string): string {
  const id = identifier(result, name);
  if (id === undefined) throw unreadable(`${name} is missing`);
  return id;
}

/** A payment's refunds are kept by their ids; the one name that an object cannot hold would be lost. */
function refundIdOf(result: unknown): string {
  const refundId = required(result, "refundId");
  if (refundId === "__proto__") throw unreadable("refundId must be another name");
  return refundId;
}

function amountField(result: unknown, name: string): number | string | undefined {
  const value = fieldOf(result, name);
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "number" || typeof value === "string") return value;
  throw unreadable(`${name} must be a number, or a string that holds one`);
}

function readTime(result: unknown, name: string): number | "unreadable" | undefined {
  const value = fieldOf(result, name);
  const isAbsent = value === undefined || value === null || value === "";
  if (isAbsent || value === 0 || value === "0") return undefined;
  return readTimestamp(value) ?? "unreadable";
}

const longestReason = 1_024;

/** A long message is cut, so that it cannot make an event too large. */
function readReason(value: unknown): { readonly text: string } | "unreadable" | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string" || !value.isWellFormed()) return "unreadable";
  return { text: isWithin(value, longestReason) ? value : cut(value) };
}

function cut(text: string): string {
  return `${[...text.slice(0, 2 * longestReason)].slice(0, longestReason - 1).join("")}…`;
}

/** In characters, which are counted only where there are more code units. */
function isWithin(text: string, characters: number): boolean {
  return text.length <= characters || [...text.slice(0, 2 * characters + 1)].length <= characters;
}

function unreadable(problem: string): PaycastError {
  return new PaycastError("result-unreadable", `The result object cannot be read: ${problem}.`);
}
