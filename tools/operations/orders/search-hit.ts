import type { Subject } from "../../../shared/facts/subject.ts";
import { loadOrder, loadPayment } from "../../../shared/orders/aggregate-store.ts";
import type { Order } from "../../../shared/orders/order.ts";
import type { CallbackRecord } from "../../../shared/records/callback-record.ts";
import { statusOf } from "../../../shared/storefront/order-view.ts";
import { fewAtOnce } from "../few-at-once.ts";
import type { Target } from "../ports/target.ts";
import { contentOfRecord } from "../records/read-records.ts";

/** Something that a text may stand for, and where it belongs. */
export interface SearchHit {
  /** What the text is, such as "order number" or "transactionId". */
  readonly what: string;
  readonly merchantId: string;
  /** The order that it belongs to, if there is one. */
  readonly orderNo?: string | undefined;
  /** Of the order, if it is stored. */
  readonly status?: string | undefined;
  readonly paymentId?: string | undefined;
  readonly callbackId?: string | undefined;
  /** It was not understood, and needs attention. */
  readonly isQuarantined: boolean;
}

/** The hits of records: one for each order. */
export async function hitsOf(
  target: Pick<Target, "orders">,
  records: readonly CallbackRecord[],
  what: (record: CallbackRecord) => string,
): Promise<SearchHit[]> {
  const hits = await fewAtOnce(records, async (record) => {
    const { subject } = contentOfRecord(record);
    const order = await orderOf(target, subject);
    return {
      what: what(record),
      merchantId: record.merchantId,
      orderNo: order?.orderNo ?? orderNoOf(subject),
      status: order && statusOf(order),
      paymentId: subject?.kind === "payment" ? subject.paymentId : undefined,
      callbackId: record.callbackId,
      isQuarantined: record.outcome === "quarantined",
    };
  });
  return onePerOrder(hits);
}

/** A refund leads to the order that its payment is linked to; if there is none, no order has it. */
export async function orderOf(
  target: Pick<Target, "orders">,
  subject: Subject | undefined,
): Promise<Order | undefined> {
  const { database, table } = target.orders;
  if (subject === undefined) return undefined;
  const { merchantId } = subject;
  const orderNo =
    subject.kind === "order"
      ? subject.orderNo
      : (await loadPayment(database, table, merchantId, subject.paymentId)).order?.orderNo;
  if (orderNo === undefined) return undefined;
  const order = await loadOrder(database, table, merchantId, orderNo);
  return order.revision > 0 ? order : undefined;
}

function orderNoOf(subject: Subject | undefined): string | undefined {
  return subject?.kind === "order" ? subject.orderNo : undefined;
}

/** A transaction is in several callbacks of one order. Callbacks without an order stay apart. */
function onePerOrder(hits: readonly SearchHit[]): SearchHit[] {
  const kept = new Map<string, SearchHit>();
  for (const hit of hits) {
    const { merchantId, orderNo, callbackId, what } = hit;
    const key = JSON.stringify([what, merchantId, orderNo ?? null, orderNo ? null : callbackId]);
    if (!kept.has(key)) kept.set(key, hit);
  }
  return [...kept.values()];
}
