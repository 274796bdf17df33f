import type { CallbackContent } from "../envelope/open-callback.ts";
import { PaycastError } from "../errors/paycast-error.ts";
import { hasPaid, isEventType, orderEventTypeOf, refundEventTypeOf } from "./event-types.ts";
import { withExactFields } from "./exact-fields.ts";
import type { Fact, PaymentFact, RefundFact, SuccessFact } from "./fact.ts";
import {
  isAmountContradicted,
  isRefundContradicted,
  refuseTwoIdentities,
  withContradiction,
} from "./find-contradiction.ts";
import { type RefundAnswer, readRefundAnswer } from "./read-refund-answer.ts";
import {
  type PaymentState,
  type ResultDetails,
  readPaymentResult,
  readRefundResult,
} from "./read-result.ts";
import { factKindOf } from "./subject.ts";

/** The content of a callback, or the result of a query about a payment. */
export type Statement = CallbackStatement | QueryStatement;

interface Learned {
  readonly merchantId: string;
  readonly content: CallbackContent;
  readonly receivedAtMilliseconds: number;
}

interface CallbackStatement extends Learned {
  readonly origin: "callback";
  /** Undefined if the signature does not cover it. */
  readonly eventName?: string | undefined;
}

interface QueryStatement extends Learned {
  readonly origin: "query";
  readonly orderNo: string;
  /** The payment that was queried. It identifies the result, whose order number may be a refund's (§2.9). */
  readonly paymentId: string;
}

/**
 * The fact of an authentic statement. Throws a `PaycastError` that is not retryable if the fact is not certain; the
 * statement is then quarantined. Returns undefined if a query's result has nothing new.
 */
export function readFact(statement: Statement): Fact | undefined {
  const { result, json } = readContent(statement.content);
  return statement.origin === "callback"
    ? factOfCallback(statement, result, json)
    : factOfQuery(statement, result, json);
}

function readContent(content: CallbackContent): { result: unknown; json: string } {
  if (content.kind === "not-utf-8") {
    throw new PaycastError("plaintext-not-utf-8", "The decrypted body is not UTF-8.");
  }
  if (content.result === undefined) {
    throw new PaycastError("result-unreadable", "The result object is not JSON.");
  }
  return { result: withExactFields(content.result, content.text), json: content.text };
}

function factOfCallback(statement: CallbackStatement, result: unknown, json: string): Fact {
  const { eventName, merchantId } = statement;
  if (eventName !== undefined && !isEventType(eventName)) {
    throw new PaycastError("event-unknown", "The event name is not one of the interface's.");
  }
  const { fact, namedMerchantId } =
    factKindOf(eventName, result) === "refund"
      ? refundFact(statement, result, json)
      : paymentFact(statement, result, json);
  if (namedMerchantId !== merchantId) throw merchantDiffers();
  if (eventName !== undefined && eventName !== fact.type) throw eventDiffers();
  return fact;
}

function paymentFact(statement: CallbackStatement, result: unknown, json: string) {
  const { namedMerchantId, orderNo, state, details } = readPaymentResult(result, "callback");
  refuseTwoIdentities(json, "payment");
  const type = orderEventTypeOf(state.status);
  if (type === undefined) throw eventDiffers();
  if (orderNo === undefined) {
    throw new PaycastError("result-unreadable", "The result object names no order.");
  }
  const fact = paymentFactOf(statement, { type, orderNo }, state, details);
  return {
    fact: withContradiction(fact, isAmountContradicted(json, state.amount)),
    namedMerchantId,
  };
}

function refundFact(statement: CallbackStatement, result: unknown, json: string) {
  const { namedMerchantId, details, ...refund } = readRefundResult(result);
  refuseTwoIdentities(json, "refund");
  const type = refundEventTypeOf(refund.status);
  if (type === undefined) throw eventDiffers();
  const learned = { merchantId: statement.merchantId, origin: statement.origin };
  const learnedAtMilliseconds = statement.receivedAtMilliseconds;
  const fact: RefundFact = {
    kind: "refund",
    type,
    ...learned,
    learnedAtMilliseconds,
    ...refund,
    ...details,
  };
  const contradicted = isRefundContradicted(json, refund.amount);
  return { fact: withContradiction(fact, contradicted), namedMerchantId };
}

/** `pending` is nothing new. */
function factOfQuery(
  statement: QueryStatement,
  result: unknown,
  json: string,
): PaymentFact | undefined {
  const refund = readRefundAnswer(result);
  if (refund !== undefined) return factOfRefundAnswer(statement, refund);
  const { orderNo, paymentId } = statement;
  const { namedMerchantId, state, details } = readPaymentResult(result, "query");
  refuseOtherMerchant(statement, namedMerchantId);
  const type = orderEventTypeOf(state.status);
  if (type === undefined) return undefined;
  const fact = paymentFactOf(statement, { type, orderNo, paymentId }, state, details);
  return withContradiction(fact, isAmountContradicted(json, state.amount));
}

/** The success that must precede the refund. Undefined without an amount, because money moved. */
function factOfRefundAnswer(
  statement: QueryStatement,
  { refundStatus, namedMerchantId, amount }: RefundAnswer,
): SuccessFact | undefined {
  refuseOtherMerchant(statement, namedMerchantId);
  if (amount === undefined) return undefined;
  const { merchantId, origin, orderNo, paymentId, receivedAtMilliseconds } = statement;
  return {
    kind: "payment",
    type: "payment.order.success",
    merchantId,
    origin,
    learnedAtMilliseconds: receivedAtMilliseconds,
    orderNo,
    paymentId,
    status: "success",
    amount,
    refundStatus,
    noted: [],
  };
}

function refuseOtherMerchant({ merchantId }: QueryStatement, named: string | undefined): void {
  if (named !== undefined && named !== merchantId) throw merchantDiffers();
}

function paymentFactOf(
  statement: Statement,
  named: Pick<PaymentFact, "type" | "orderNo" | "paymentId">,
  state: PaymentState,
  details: ResultDetails,
): PaymentFact {
  return hasPaid(state)
    ? factIn(state, statement, named, details)
    : factIn(state, statement, named, details);
}

/** Lists every field, because object spread would be the most expensive part of reading a callback. */
function factIn<S extends PaymentState>(
  state: S,
  { merchantId, origin, receivedAtMilliseconds }: Statement,
  { type, orderNo, paymentId }: Pick<PaymentFact, "type" | "orderNo" | "paymentId">,
  details: ResultDetails,
): Omit<PaymentFact, keyof PaymentState> & Pick<S, keyof PaymentState> {
  return {
    kind: "payment",
    type,
    merchantId,
    origin,
    learnedAtMilliseconds: receivedAtMilliseconds,
    orderNo,
    paymentId,
    status: state.status,
    amount: state.amount,
    transactionId: details.transactionId,
    reason: details.reason,
    createdAtMilliseconds: details.createdAtMilliseconds,
    isCreatedAtWholeSecond: details.isCreatedAtWholeSecond,
    completedAtMilliseconds: details.completedAtMilliseconds,
    noted: details.noted,
  };
}

function merchantDiffers(): PaycastError {
  return new PaycastError(
    "merchant-differs",
    "The result object names no merchant, or a different one.",
  );
}

function eventDiffers(): PaycastError {
  return new PaycastError("event-differs", "The event name and the status do not agree.");
}
