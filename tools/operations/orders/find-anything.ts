import { groupOf, type Subject } from "../../../shared/facts/subject.ts";
import { loadOrder, loadPayment } from "../../../shared/orders/aggregate-store.ts";
import type { Order } from "../../../shared/orders/order.ts";
import type { CallbackRecord } from "../../../shared/records/callback-record.ts";
import { statusOf } from "../../../shared/storefront/order-view.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { fewAtOnce } from "../few-at-once.ts";
import { contentOfRecord, recordsOfCallback, recordsOfGroup } from "../records/read-records.ts";
import { databaseOf, merchantIdsOf, type Target } from "../target/target.ts";
import { listOrders, type OrderPage } from "./list-orders.ts";
import { fieldOf, type LookOptions, lookThrough } from "./look-through.ts";

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
  /** Nobody could understand it, and it waits for a person. */
  readonly isQuarantined: boolean;
}

export interface Found {
  /** What the text is, exactly. */
  readonly hits: readonly SearchHit[];
  /** If it is nothing: the orders of a range with the text in their number. */
  readonly containing?: OrderPage & { readonly from: string };
  /** Set if no index has the text, and recent callbacks were read instead. */
  readonly lookedThrough?: { readonly records: number; readonly since: string };
}

export interface FindOptions extends LookOptions {
  /** Only what indexes have, for somebody who is still typing: reading callbacks can take seconds. */
  readonly isQuick?: boolean;
}

const rangeMilliseconds = 2 * 86_400_000;
const mostContaining = 8;

/**
 * Finds out what a text is. Order numbers, payments and callbacks have an index. For transactions, refunds and events the
 * newest records are read, as many as the limit allows. If it is none of them, orders of the last two days with the text
 * in their number are found.
 */
export async function findAnything(
  target: Target,
  text: string,
  options: FindOptions,
): Promise<Found> {
  const { before, isQuick = false } = options;
  const indexed = before === undefined ? await findByIndex(target, text) : [];
  if (indexed.length > 0) return { hits: indexed };
  const [told, containing] = await Promise.all([
    isQuick ? { hits: [] } : findTold(target, text, options),
    before === undefined ? findContaining(target, text, options) : undefined,
  ]);
  return told.hits.length > 0 || containing === undefined ? told : { ...told, containing };
}

/** What recent callbacks tell of. */
async function findTold(target: Target, text: string, options: FindOptions): Promise<Found> {
  const { matches, records, since } = await lookThrough(target, text, options);
  const hits = await hitsOf(target, matches, (record) => fieldOf(record, text) ?? "");
  return { hits, lookedThrough: { records, since } };
}

async function findContaining(
  target: Target,
  text: string,
  { stopped }: FindOptions,
): Promise<OrderPage & { readonly from: string }> {
  const now = Date.now();
  const [from, until] = [toRfc3339(now - rangeMilliseconds), toRfc3339(now + 60_000)];
  const query = { text, from, until, limit: mostContaining };
  return { from, ...(await listOrders(target, query, { stopped, tell: () => undefined })) };
}

async function findByIndex(target: Target, text: string): Promise<SearchHit[]> {
  const found = await Promise.all(
    merchantIdsOf(target).flatMap((merchantId) => [
      findOrder(target, merchantId, text),
      findPayment(target, merchantId, text),
      findCallback(target, merchantId, text),
    ]),
  );
  return found.flat();
}

/** Also an order that only quarantined callbacks name. */
async function findOrder(
  target: Target,
  merchantId: string,
  orderNo: string,
): Promise<SearchHit[]> {
  const order = await loadOrder(databaseOf(target), target.tables.orders, merchantId, orderNo);
  const base = { what: "order number", merchantId, orderNo };
  if (order.revision > 0) return [{ ...base, status: statusOf(order), isQuarantined: false }];
  const records = await recordsOfGroup(target, groupOf(order));
  return records.length === 0 ? [] : [{ ...base, isQuarantined: true }];
}

async function findPayment(
  target: Target,
  merchantId: string,
  paymentId: string,
): Promise<SearchHit[]> {
  const { orders: table } = target.tables;
  const payment = await loadPayment(databaseOf(target), table, merchantId, paymentId);
  if (payment.revision === 0) return [];
  const order = await orderOf(target, payment);
  const status = order && statusOf(order);
  const base = { what: "payment", merchantId, paymentId, isQuarantined: false };
  return [{ ...base, orderNo: order?.orderNo, status }];
}

async function findCallback(
  target: Target,
  merchantId: string,
  callbackId: string,
): Promise<SearchHit[]> {
  const records = await recordsOfCallback(target, merchantId, callbackId);
  return await hitsOf(target, records.slice(0, 1), () => "callback");
}

async function hitsOf(
  target: Target,
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
async function orderOf(target: Target, subject: Subject | undefined): Promise<Order | undefined> {
  const database = databaseOf(target);
  const { orders: table } = target.tables;
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
