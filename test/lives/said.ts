import { groupOf } from "../../shared/facts/subject.ts";
import type { CreateAnswer } from "../../shared/gateway/create-answer.ts";
import { GatewayError, type GatewayFailure } from "../../shared/gateway/gateway-error.ts";
import { writeInboxMessage } from "../../shared/inbox/inbox-message.ts";
import { merchantId } from "./product.ts";
import type { Step } from "./read-lives.ts";

/*
 * What the payment service says in a step. Words without a value are ids and statuses. An absent value is the usual
 * one, and "none" leaves the field out.
 */

export const usualOrderNo = "ORDER-1";
const usualAmount = "10.00";

/** A message that receive-callback or a query put into the inbox. */
export interface Message {
  readonly message: string;
  readonly group: string;
}

const failures: readonly string[] = [
  "busy",
  "unreachable",
  "timed-out",
  "disconnected",
  "unreadable",
];

/** The answer to a creation: a payment id, perhaps `incomplete` or `of-another` order, `refused`, a failure of the gateway, or an `error` of our own code. */
export function createAnswer({ words: [word = "P1", ...words], text }: Step): CreateAnswer {
  if (word === "error") throw new TypeError("not a gateway error");
  throwFailure(word, text);
  const [paymentId, status] = [word, "pending"];
  if (words.includes("of-another")) return { state: "other-order", paymentId, status };
  const returned = { paymentId, status, isNumberShortened: words.includes("shortened") };
  if (words.includes("incomplete")) return { state: "incomplete", ...returned };
  return { state: "created", checkoutUrl: `https://service.example/${word}`, ...returned };
}

function throwFailure(word: string, text: string): void {
  if (word === "refused") {
    const refusal = { code: "4711", msg: `no, after: ${text}` };
    throw new GatewayError("refused", { refusal });
  }
  if (failures.includes(word)) throw new GatewayError(word as GatewayFailure);
}

/** When each attempt was begun, as the service was told. */
export type PaymentTimes = readonly number[];

/** §2.9 and §2.11 share these fields. */
function paymentResult(
  status: string,
  { named, words }: Step,
  times: PaymentTimes,
  now: number,
): Record<string, unknown> {
  const attempt = named["attempt"] ?? String(times.length);
  const sent = attempt === "none" ? undefined : times[Number(attempt) - 1];
  const isInSeconds = words.includes("seconds");
  const seconds = sent === undefined ? undefined : Math.floor(sent / 1_000);
  return without({
    merchantId: named["merchant"] ?? merchantId,
    referOrderNo: named["order"] ?? usualOrderNo,
    outOrderNo: named["also-order"],
    transactionId: named["transaction"] ?? (status === "success" ? "T1" : "none"),
    currency: named["currency"] ?? "EUR",
    paymentTime: named["time"] ?? (isInSeconds ? seconds : sent),
    completeTime: named["completed"] ?? (status === "success" ? now - 500 : "none"),
    status,
    msg: words.includes("strange-reason") ? {} : named["reason"],
  });
}

function refundResult(status: string, { named, words: [, refundId = "R1"] }: Step, now: number) {
  return without({
    merchantId,
    refundId,
    paymentId: named["of"] ?? "P1",
    referRefundNo: named["number"],
    transactionId: named["transaction"],
    refundAmount: named["amount"] ?? "4.10",
    refundTime: now - 60_000,
    completeTime: now - 500,
    status,
    msg: named["reason"],
  });
}

function without(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== "none"),
  );
}

/** `callback success` or `refund refund_success R1`. `event` is another name than that of the status. */
export function callbackMessage(step: Step, times: PaymentTimes, now: number, count: number) {
  const [status = "success"] = step.words;
  const {
    id = `C${count}`,
    event,
    amount = usualAmount,
    of = "P1",
    order = usualOrderNo,
  } = step.named;
  const isRefund = step.verb === "refund";
  const result = isRefund
    ? refundResult(status, step, now)
    : {
        ...paymentResult(status, step, times, now),
        ...without({ paymentAmount: amount, payAmount: step.named["also"] }),
      };
  const subject = isRefund
    ? ({ kind: "payment", merchantId, paymentId: of } as const)
    : ({ kind: "order", merchantId, orderNo: order } as const);
  const usual = isRefund ? `payment.${status.replace("_", ".")}` : `payment.order.${status}`;
  const body = writeInboxMessage({
    origin: "callback",
    merchantId,
    callbackId: id,
    eventName: event ?? usual,
    keyVersion: "v1",
    content: { kind: "text", text: JSON.stringify(result), result },
    deduplication: { key: id.toLowerCase(), replayable: step.words.includes("replayable") },
    receivedAtMilliseconds: now,
    sentAtMilliseconds: now - 100,
    traceparent: "00-0-0-01",
  });
  return { id, message: { message: body, group: groupOf(subject) } };
}

/**
 * The answer to a query about a payment: a status for all of them, or `P2=timeout` for one. An amount is named
 * `payAmount` there (§2.9).
 */
export function queryAnswer(
  step: Step | undefined,
  paymentId: string,
  times: PaymentTimes,
  now: number,
): object {
  if (step === undefined) throw new GatewayError("timed-out");
  const word = step.named[paymentId] ?? step.words[0] ?? "pending";
  throwFailure(word, step.text);
  if (word === "strange") return { status: "strange" };
  const { amount = usualAmount } = step.named;
  const result = paymentResult(word, step, times, now);
  return { ...result, ...without({ payAmount: amount }), paymentId };
}
