import { keyOfId } from "../../shared/envelope/deduplication.ts";
import { groupOf, isResultObject, type Subject } from "../../shared/facts/subject.ts";
import { loadOrder, loadPayment } from "../../shared/orders/aggregate-store.ts";
import type { CallbackRecord } from "../../shared/records/callback-record.ts";
import { callbackKeyOf } from "../../shared/records/receipt.ts";
import { statusOf } from "../../shared/storefront/order-view.ts";
import { fewAtOnce } from "../few-at-once.ts";
import { merchantIdsOf, type Target } from "../target/target.ts";
import { databaseOf } from "../target/target-database.ts";
import { recordsOfCallback, recordsOfGroup } from "../timeline/read-records.ts";
import { contentOfRecord } from "../timeline/record-content.ts";
import { lookThrough } from "./look-through.ts";
import { orderOf } from "./told-orders.ts";

/** Something that a text may stand for, and where it belongs. */
export interface Finding {
  /** What the text is, such as "order number" or "transactionId". */
  readonly what: string;
  readonly merchantId: string;
  /** The order that it belongs to, if there is one. */
  readonly orderNo: string | undefined;
  /** Of the order, if it is stored. */
  readonly status: string | undefined;
  readonly paymentId: string | undefined;
  readonly callbackId: string | undefined;
  /** Nobody could understand it, and it waits for a person. */
  readonly isQuarantined: boolean;
}

export interface Found {
  readonly findings: readonly Finding[];
  /** Set if no index has the text, and recent callbacks were read instead. */
  readonly lookedThrough: { readonly records: number; readonly since: string } | undefined;
}

export interface FindOptions {
  /** Goes on from where an earlier look ended. */
  readonly before?: string | undefined;
  readonly stopped: AbortSignal;
  /** Hours that are known to be empty. */
  readonly emptyBuckets?: Set<string>;
  readonly now?: () => number;
  /** The most events to read. */
  readonly most?: number;
}

/** A limit of cost: 2,000 records are about 1,000 read units. */
const usualMost = 2_000;

/**
 * Finds out what a text is. Order numbers, payments and callbacks have an index. For transactions, refunds and events the
 * newest records are read, as many as the limit allows.
 */
export async function findAnything(
  target: Target,
  text: string,
  options: FindOptions,
): Promise<Found> {
  const { before, stopped, now = Date.now, most = usualMost } = options;
  const indexed = before === undefined ? await findByIndex(target, text) : [];
  if (indexed.length > 0) return { findings: indexed, lookedThrough: undefined };
  const { matches, records, since } = await lookThrough(target, {
    beforeMilliseconds: before === undefined ? undefined : Date.parse(before),
    ...{ stopped, now, most, emptyBuckets: options.emptyBuckets ?? new Set() },
    isMatch: (record) => fieldOf(record, text) !== undefined,
  });
  const findings = await findingsOf(target, matches, (record) => fieldOf(record, text) ?? "");
  return { findings, lookedThrough: { records, since } };
}

async function findByIndex(target: Target, text: string): Promise<Finding[]> {
  const found = await Promise.all(
    merchantIdsOf(target).flatMap((merchantId) => [
      findOrder(target, merchantId, text),
      findPayment(target, merchantId, text),
      findCallback(target, merchantId, text),
    ]),
  );
  return found.flat();
}

const nothing = {
  status: undefined,
  paymentId: undefined,
  callbackId: undefined,
  isQuarantined: false,
};

/** Also an order of which only quarantined callbacks speak. */
async function findOrder(target: Target, merchantId: string, orderNo: string): Promise<Finding[]> {
  const order = await loadOrder(databaseOf(target), target.tables.orders, merchantId, orderNo);
  const base = { ...nothing, what: "order number", merchantId, orderNo };
  if (order.revision > 0) return [{ ...base, status: statusOf(order) }];
  const records = await recordsOfGroup(target, groupOf(order));
  return records.length === 0 ? [] : [{ ...base, isQuarantined: true }];
}

async function findPayment(
  target: Target,
  merchantId: string,
  paymentId: string,
): Promise<Finding[]> {
  const { orders: table } = target.tables;
  const payment = await loadPayment(databaseOf(target), table, merchantId, paymentId);
  if (payment.revision === 0) return [];
  const order = await orderOf(target, payment);
  const base = { ...nothing, what: "payment", merchantId, paymentId };
  return [{ ...base, orderNo: order?.orderNo, status: order && statusOf(order) }];
}

async function findCallback(
  target: Target,
  merchantId: string,
  callbackId: string,
): Promise<Finding[]> {
  const deduplication = { key: keyOfId(callbackId), replayable: false };
  const key = callbackKeyOf({ merchantId, origin: "callback", deduplication });
  const records = await recordsOfCallback(target, key);
  return await findingsOf(target, records.slice(0, 1), () => "callback");
}

async function findingsOf(
  target: Target,
  records: readonly CallbackRecord[],
  what: (record: CallbackRecord) => string,
): Promise<Finding[]> {
  const findings = await fewAtOnce(records, async (record) => {
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
  return onePerOrder(findings);
}

function orderNoOf(subject: Subject | undefined): string | undefined {
  return subject?.kind === "order" ? subject.orderNo : undefined;
}

/** A transaction is in several callbacks of one order. Callbacks without an order stay apart. */
function onePerOrder(findings: readonly Finding[]): Finding[] {
  const kept = new Map<string, Finding>();
  for (const finding of findings) {
    const { merchantId, orderNo, callbackId, what } = finding;
    const key = JSON.stringify([what, merchantId, orderNo ?? null, orderNo ? null : callbackId]);
    if (!kept.has(key)) kept.set(key, finding);
  }
  return [...kept.values()];
}

/** The field of a record that holds the text: of the record itself, or of the result object that it keeps. */
function fieldOf(record: CallbackRecord, text: string): string | undefined {
  if (record.outcome !== "quarantined" && record.factId === text) return "event";
  if (record.callbackId !== undefined && keyOfId(record.callbackId) === keyOfId(text)) {
    return "callback";
  }
  const { result } = contentOfRecord(record);
  if (!isResultObject(result)) return undefined;
  return Object.entries(result).find(([, value]) => value === text || value === Number(text))?.[0];
}
