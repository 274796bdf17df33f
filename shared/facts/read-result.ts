import { PaycastError } from "../errors/paycast-error.ts";
import {
  type Amount,
  type AmountWithoutCurrency,
  readAmount,
  readAmountWithoutCurrency,
} from "../money/amount.ts";
import { isWithin } from "../text/characters.ts";
import { readTime, type WrittenTime } from "../time/read-time.ts";
import {
  isPaid,
  isRefunded,
  type PaidStatus,
  type PaymentStatus,
  paymentStatuses,
  type RefundStatus,
  refundStatuses,
} from "./event-types.ts";
import { type Flag, raisedFlags } from "./flags.ts";
import { idIn, isResultObject, type ResultObject } from "./subject.ts";

/**
 * Reads the result objects of §2.9, §2.11 and §2.12. Ids, status and amounts must be readable; otherwise the object is
 * rejected with `result-unreadable` or the amount's error code. Times and messages only inform: if one cannot be read,
 * it is omitted and a flag is raised. The interface marks no field as required, so null, the empty string and a time of
 * 0 count as absent.
 */
export interface ResultDetails {
  readonly transactionId: string | undefined;
  readonly reason: string | undefined;
  readonly createdAtMilliseconds: number | undefined;
  readonly isCreatedAtWholeSecond: boolean | undefined;
  readonly completedAtMilliseconds: number | undefined;
  readonly noted: readonly Flag[];
}

interface Named {
  /** The merchant in the result object, to compare with the merchant in the envelope. */
  readonly namedMerchantId: string | undefined;
  readonly details: ResultDetails;
}

/** A success has its amount, because money moved. */
export type PaymentState =
  | { readonly status: PaidStatus; readonly amount: Amount }
  | { readonly status: Exclude<PaymentStatus, PaidStatus>; readonly amount: Amount | undefined };

export interface PaymentResult extends Named {
  /** In a query's result this may be a refund's number (§2.9). */
  readonly orderNo: string | undefined;
  readonly state: PaymentState;
}

export interface RefundResult extends Named {
  readonly refundId: string;
  readonly paymentId: string;
  readonly refundNo: string | undefined;
  readonly status: RefundStatus;
  readonly amount: AmountWithoutCurrency | undefined;
}

/** The name of the amount in the table of the interface comes first (§2.11, §2.9), then the one in its samples. */
const amountNames = {
  callback: ["paymentAmount", "payAmount"],
  query: ["payAmount", "paymentAmount"],
} as const;

export function readPaymentResult(
  result: unknown,
  origin: keyof typeof amountNames,
): PaymentResult {
  const fields = objectOf(result);
  const { state, isAmountUnreadable } = readState(fields, amountNames[origin]);
  return {
    namedMerchantId: identifier(fields, "merchantId"),
    orderNo: identifier(fields, "referOrderNo") ?? identifier(fields, "outOrderNo"),
    state,
    details: readDetails(fields, "paymentTime", isAmountUnreadable),
  };
}

export function readRefundResult(result: unknown): RefundResult {
  const fields = objectOf(result);
  const status = statusOf(fields, refundStatuses);
  const isSuccess = isRefunded(status);
  const amount = readMoney(isSuccess, () => {
    const value = amountField(fields, "refundAmount");
    return value === undefined ? undefined : readAmountWithoutCurrency(value);
  });
  if (isSuccess && amount === undefined) {
    throw unreadable("a successful refund must name refundAmount");
  }
  return {
    namedMerchantId: identifier(fields, "merchantId"),
    refundId: refundIdOf(fields),
    paymentId: required(fields, "paymentId"),
    refundNo: identifier(fields, "referRefundNo"),
    status,
    amount: amount === unreadableMark ? undefined : amount,
    details: readDetails(fields, "refundTime", amount === unreadableMark),
  };
}

function objectOf(result: unknown): ResultObject {
  if (isResultObject(result)) return result;
  throw unreadable("it must be an object");
}

function readState(
  fields: ResultObject,
  [preferred, other]: (typeof amountNames)["callback" | "query"],
): { state: PaymentState; isAmountUnreadable: boolean } {
  const status = statusOf(fields, paymentStatuses);
  const amount = readMoney(isPaid(status), () => {
    const value = amountField(fields, preferred) ?? amountField(fields, other);
    const currency = idIn(fields, "currency");
    return value === undefined || currency === undefined ? undefined : readAmount(value, currency);
  });
  if (!isPaid(status)) {
    const isAmountUnreadable = amount === unreadableMark;
    return {
      state: { status, amount: isAmountUnreadable ? undefined : amount },
      isAmountUnreadable,
    };
  }
  if (amount !== undefined && amount !== unreadableMark) {
    return { state: { status, amount }, isAmountUnreadable: false };
  }
  throw unreadable("a success must name paymentAmount and currency");
}

/** If money moved, an amount that cannot be read is an error. Otherwise the amount only informs and is omitted. */
function readMoney<A>(moved: boolean, read: () => A): A | typeof unreadableMark {
  try {
    return read();
  } catch (error) {
    if (moved) throw error;
    return unreadableMark;
  }
}

function readDetails(
  fields: ResultObject,
  createdName: string,
  unreadableAmount: boolean,
): ResultDetails {
  const created = timeField(fields, createdName);
  const completed = eitherTime(timeField(fields, "completeTime"), timeField(fields, "paidTime"));
  const reason = readReason(fields["msg"]);
  const unreadableTime = created === unreadableMark || completed === unreadableMark;
  const unreadableReason = reason === unreadableMark;
  const isNoted = unreadableTime || unreadableReason || unreadableAmount;
  return {
    transactionId: identifier(fields, "transactionId"),
    reason: reason === unreadableMark ? undefined : reason,
    createdAtMilliseconds: created === unreadableMark ? undefined : created?.milliseconds,
    isCreatedAtWholeSecond: created === unreadableMark ? undefined : created?.isWholeSecond,
    completedAtMilliseconds: completed === unreadableMark ? undefined : completed?.milliseconds,
    noted: isNoted ? raisedFlags({ unreadableTime, unreadableReason, unreadableAmount }) : [],
  };
}

const unreadableMark = Symbol("unreadable");

function statusOf<S extends string>(fields: ResultObject, statuses: readonly S[]): S {
  const value = fields["status"];
  const status = statuses.find((candidate) => candidate === value);
  if (status !== undefined) return status;
  throw unreadable(`status must be one of ${statuses.join(", ")}`);
}

/** Ids and numbers are at most 64 characters anywhere in the interface (§8). */
const longestIdentifier = 64;

/** Rejects half a surrogate pair, because it cannot be stored. */
function identifier(fields: ResultObject, name: string): string | undefined {
  const id = idIn(fields, name);
  if (id === undefined) {
    if (isAbsent(fields[name])) return undefined;
  } else if (isWithin(id, longestIdentifier) && id.isWellFormed()) {
    return id;
  }
  throw unreadable(`${name} must be text of 1 to ${longestIdentifier} characters`);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

function required(fields: ResultObject, name: string): string {
  const id = identifier(fields, name);
  if (id === undefined) throw unreadable(`${name} is missing`);
  return id;
}

/** Refunds are stored in an object by their ids. `__proto__` is not an ordinary key, so that refund would be lost. */
function refundIdOf(fields: ResultObject): string {
  const refundId = required(fields, "refundId");
  if (refundId === "__proto__") throw unreadable("refundId must not be __proto__");
  return refundId;
}

function amountField(fields: ResultObject, name: string): number | string | undefined {
  const value = fields[name];
  if (typeof value === "number") return value;
  if (isAbsent(value)) return undefined;
  if (typeof value === "string") return value;
  throw unreadable(`${name} must be a number, or a string that holds one`);
}

type TimeField = WrittenTime | typeof unreadableMark | undefined;

function timeField(fields: ResultObject, name: string): TimeField {
  const value = fields[name];
  if (isAbsent(value) || value === 0 || value === "0") return undefined;
  return readTime(value) ?? unreadableMark;
}

/** Prefers a time that can be read. */
function eitherTime(preferred: TimeField, other: TimeField): TimeField {
  return preferred === undefined || preferred === unreadableMark ? (other ?? preferred) : preferred;
}

const longestReason = 256;

/** A long message is shortened, so that it cannot make an event too large. */
function readReason(value: unknown): string | typeof unreadableMark | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value !== "string" || !value.isWellFormed()) return unreadableMark;
  return isWithin(value, longestReason) ? value : cut(value);
}

function cut(text: string): string {
  return `${[...text.slice(0, 2 * longestReason)].slice(0, longestReason - 1).join("")}…`;
}

function unreadable(problem: string): PaycastError {
  return new PaycastError("result-unreadable", `The result object cannot be read: ${problem}.`);
}
