import { hexOf } from "./hex-of.ts";
import type {
  Amount,
  Envelope,
  Flag,
  KnownEvent,
  KnownType,
  OrderEvent,
  RefundEvent,
} from "./typed-events.ts";

/** The event of a type: `EventOf<"payment.order.success">`. */
export type EventOf<Type extends KnownType> = Extract<KnownEvent, { readonly type: Type }>;

/** The content that a test can choose. The rest of the event follows from it. */
export interface TestContent {
  readonly merchantId: string;
  readonly orderNo: string;
  readonly paymentId: string;
  readonly refundId: string;
  readonly transactionId: string;
  readonly amount: Amount;
  /** The number of published facts of the order or payment, including this one. */
  readonly sequence: number;
  readonly time: string;
  readonly origin: "callback" | "query";
  /** The payment service's message. */
  readonly reason: string;
  /** The flags of the fact and of the snapshot. */
  readonly flags: readonly Flag[];
}

/** New objects on each call, so that a test that changes its event does not affect the next test. */
const usual = (): TestContent => ({
  merchantId: "DemoMerchant",
  orderNo: "ORDER-1001",
  paymentId: "P-1001",
  refundId: "R-1001",
  transactionId: "T-1001",
  amount: { value: "12.30", minor: "1230", currency: "USD" },
  sequence: 1,
  time: "2026-11-15T01:22:45.123Z",
  origin: "callback",
  reason: "",
  flags: [],
});

const makers: { readonly [Type in KnownType]: (content: TestContent) => EventOf<Type> } = {
  "payment.order.confirming": (content) => ({
    ...orderEvent(content, "payment.order.confirming"),
    data: { ...orderData(content, "confirming"), status: "confirming" },
  }),
  "payment.order.timeout": (content) => ({
    ...orderEvent(content, "payment.order.timeout"),
    data: { ...orderData(content, "timeout"), status: "timeout" },
  }),
  "payment.order.success": (content) => ({
    ...orderEvent(content, "payment.order.success"),
    data: { ...orderData(content, "success"), status: "success" },
  }),
  "payment.order.failed": (content) => ({
    ...orderEvent(content, "payment.order.failed"),
    data: { ...orderData(content, "failed"), status: "failed" },
  }),
  "payment.refund.success": (content) => ({
    ...refundEvent(content, "payment.refund.success"),
    data: { ...refundData(content, "refund_success"), status: "refund_success" },
  }),
  "payment.refund.failed": (content) => ({
    ...refundEvent(content, "payment.refund.failed"),
    data: { ...refundData(content, "refund_failed"), status: "refund_failed" },
  }),
};

/**
 * Returns a valid event for a test. The same arguments return the same event: its `id` and `partitionkey` follow from the
 * order, payment and refund, as in real events.
 *
 * @example
 * ```ts
 * import { testEvent } from "paycast-events/testing";
 *
 * const paid = testEvent("payment.order.success", { orderNo: "ORDER-7", sequence: 2 });
 * console.log(paid.data.order.status); // success
 * ```
 */
export function testEvent<Type extends KnownType>(
  type: Type,
  changes: Partial<TestContent> = {},
): EventOf<Type> {
  return makers[type]({ ...usual(), ...changes });
}

function orderEvent<Type extends string>(content: TestContent, type: Type) {
  const { merchantId, orderNo, transactionId } = content;
  return {
    ...envelopeOf(content, hexOf("order", merchantId, orderNo)),
    id: hexOf(type, merchantId, orderNo, transactionId),
    type,
    dataschema: "urn:paycast:schema:payment-order-event:1" as const,
  };
}

function refundEvent<Type extends string>(content: TestContent, type: Type) {
  const { merchantId, paymentId, refundId } = content;
  return {
    ...envelopeOf(content, hexOf("payment", merchantId, paymentId)),
    id: hexOf(type, merchantId, paymentId, refundId),
    type,
    dataschema: "urn:paycast:schema:payment-refund-event:1" as const,
  };
}

function envelopeOf(content: TestContent, partitionkey: string): Omit<Envelope, "id"> {
  return {
    specversion: "1.0",
    source: "urn:paycast:test",
    subject: content.orderNo,
    time: content.time,
    datacontenttype: "application/json",
    partitionkey,
    sequence: String(content.sequence).padStart(10, "0"),
    origin: content.origin,
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  };
}

function statedBy({ merchantId, origin, flags, ...content }: TestContent) {
  const callbackId = "7f3c2a90-5b1e-4d7a-9c46-0e8d1f2b3a54";
  return { merchantId, ...detailsOf(content), ...(origin === "callback" && { callbackId }), flags };
}

function detailsOf({
  transactionId,
  reason,
  time,
  amount,
}: Pick<TestContent, "transactionId" | "reason" | "time" | "amount">) {
  return { transactionId, ...(reason !== "" && { reason }), completedAt: time, amount };
}

function orderData<Status extends OrderEvent["data"]["status"]>(
  content: TestContent,
  status: Status,
) {
  const { orderNo, paymentId, amount, origin, time, flags } = content;
  const payment = { ...detailsOf(content), origin, learnedAt: time };
  const order = {
    orderNo,
    status,
    expectedAmount: amount,
    payment,
    paymentIds: [paymentId],
    flags,
  };
  return { ...statedBy(content), orderNo, ...(origin === "query" && { paymentId }), order };
}

function refundData(content: TestContent, status: RefundEvent["data"]["status"]) {
  const { orderNo, paymentId, refundId, amount, flags } = content;
  const refund = { ...detailsOf(content), refundId, paymentId, status };
  const refundedAmount = status === "refund_success" ? amount : zeroOf(amount);
  const payment = { paymentId, orderNo, refunds: [refund], refundedAmount, flags };
  return { ...statedBy(content), paymentId, refundId, orderNo, payment };
}

/** With the decimals of the currency: "0.00" for "12.30". */
function zeroOf({ value, currency }: Amount): Amount {
  return { value: value.replace(/^[0-9]+/, "0").replace(/[1-9]/g, "0"), minor: "0", currency };
}
