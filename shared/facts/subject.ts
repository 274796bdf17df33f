import { sha256Of } from "../sha256.ts";
import { type RefundStatus, refundStatuses } from "./event-types.ts";

/**
 * What a callback is about. A payment's result is about an order, a refund's result is about a payment (§2.11, §2.12).
 * It identifies one aggregate: one item, one lock, one FIFO group.
 */
export type Subject =
  | { readonly kind: "order"; readonly merchantId: string; readonly orderNo: string }
  | { readonly kind: "payment"; readonly merchantId: string; readonly paymentId: string };

/** The key of the aggregate's item. */
export function aggregateKeyOf(subject: Subject): string {
  return `${subject.merchantId}#${subject.kind}#${idOf(subject)}`;
}

/** The aggregate of such a key. Undefined for the key of any other item. A merchant id has no "#". */
export function readAggregateKey(aggregateKey: string): Subject | undefined {
  const [, merchantId, kind, id] = /^([^#]*)#(order|payment)#(.*)/s.exec(aggregateKey) ?? [];
  if (merchantId === undefined || id === undefined) return undefined;
  return kind === "order"
    ? { kind, merchantId, orderNo: id }
    : { kind: "payment", merchantId, paymentId: id };
}

/**
 * The FIFO group of the aggregate, in the inbox and in every ordered subscriber queue. A hash, because SQS allows 128
 * ASCII characters, and an order number may be 64 characters of any script.
 */
export function groupOf(subject: Subject): string {
  return sha256Of(subject.kind, subject.merchantId, idOf(subject));
}

/** The FIFO group of a callback that names no aggregate. `key` is that of its deduplication. */
export function groupWithoutSubject(merchantId: string, key: string): string {
  return sha256Of("callback", merchantId, key);
}

/**
 * The only place that decides what a result object is about: by the event name, or by the status if the signature does
 * not cover the event name. Fields of the other kind are ignored.
 */
export function subjectOf(
  merchantId: string,
  eventName: string | undefined,
  result: unknown,
): Subject | undefined {
  const factKind = factKindOf(eventName, result);
  if (factKind === "payment") {
    const orderNo = idIn(result, "referOrderNo") ?? idIn(result, "outOrderNo");
    return isStorable(orderNo) ? { kind: "order", merchantId, orderNo } : undefined;
  }
  const paymentId = factKind === "refund" ? idIn(result, "paymentId") : undefined;
  return isStorable(paymentId) ? { kind: "payment", merchantId, paymentId } : undefined;
}

/** Whether a result object states a payment fact or a refund fact. Undefined if the event name is unknown. */
export function factKindOf(
  eventName: string | undefined,
  result: unknown,
): "payment" | "refund" | undefined {
  if (eventName === undefined) {
    return refundStatusIn(result) === undefined ? "payment" : "refund";
  }
  if (eventName.startsWith("payment.refund.")) return "refund";
  return eventName.startsWith("payment.order.") ? "payment" : undefined;
}

/** A query's result may have a refund status instead of the payment's own (§3.2). */
export function refundStatusIn(result: unknown): RefundStatus | undefined {
  if (!isResultObject(result)) return undefined;
  return refundStatuses.find((status) => status === result["status"]);
}

/** A result object after JSON.parse; no field is checked yet. */
export type ResultObject = Readonly<Record<string, unknown>>;

export function isResultObject(result: unknown): result is ResultObject {
  return typeof result === "object" && result !== null && !Array.isArray(result);
}

/** Some senders write an id of digits as a number. Null and the empty string count as absent. */
export function idIn(result: unknown, name: string): string | undefined {
  const value = isResultObject(result) ? result[name] : undefined;
  if (typeof value === "string") return value === "" ? undefined : value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

/** A callback may contain any text. A table key has a maximum length and cannot hold half a surrogate pair. */
function isStorable(id: string | undefined): id is string {
  return id !== undefined && id.length <= 256 && id.isWellFormed();
}

function idOf(subject: Subject): string {
  return subject.kind === "order" ? subject.orderNo : subject.paymentId;
}
