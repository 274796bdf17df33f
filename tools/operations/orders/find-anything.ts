import { groupOf } from "../../../shared/facts/subject.ts";
import { loadOrder, loadPayment } from "../../../shared/orders/aggregate-store.ts";
import type { CallbackRecord } from "../../../shared/records/callback-record.ts";
import { statusOf } from "../../../shared/storefront/order-view.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { merchantIdsOf } from "../ports/stack.ts";
import type { Target } from "../ports/target.ts";
import { recordsOfCallback, recordsOfGroup } from "../records/read-records.ts";
import { listOrders, type OrderPage } from "./list-orders.ts";
import { fieldsWith, type LookOptions, lookThrough } from "./look-through.ts";
import { hitsOf, orderOf, type SearchHit } from "./search-hit.ts";

export interface Found {
  /** What the text is, exactly. */
  readonly hits: readonly SearchHit[];
  /** If it is nothing: the orders of a range with the text in their number. */
  readonly containing?: OrderPage & { readonly from: string };
  /** Set if no index has the text, and recent callbacks were read instead. */
  readonly lookedThrough?: { readonly records: number; readonly since: string };
}

/** What the user can say that a text is. */
export const searchKinds = ["order", "payment", "callback", "transaction"] as const;
type SearchKind = (typeof searchKinds)[number];

export interface FindOptions extends LookOptions {
  /** Only what indexes have, while the user is typing: reading callbacks can take seconds. */
  readonly isQuick?: boolean;
  /** Only of this merchant. */
  readonly merchant?: string | undefined;
  /** Only as this. */
  readonly as?: SearchKind | undefined;
}

const rangeMilliseconds = 2 * 86_400_000;
const mostContaining = 8;

/** What a text is, exactly; if it is nothing, the orders of the last two days with the text in their number. */
export async function findAnything(
  target: Pick<Target, "stack" | "clock" | "orders" | "records">,
  text: string,
  options: FindOptions,
): Promise<Found> {
  const exact = await findExact(target, text, options);
  if (exact.hits.length > 0 || options.before !== undefined) return exact;
  return { ...exact, containing: await findContaining(target, text, options) };
}

/**
 * Finds out what a text is. Order numbers, payments and callbacks have an index. If none has the text, the newest records
 * are read for a transaction, a refund or an event, as many as the limit allows.
 */
export async function findExact(
  target: Pick<Target, "stack" | "clock" | "orders" | "records">,
  text: string,
  options: FindOptions,
): Promise<Found> {
  const { before, isQuick = false, as } = options;
  const indexed = before === undefined ? await findByIndex(target, text, options) : [];
  const isOver = isQuick || (as !== undefined && as !== "transaction");
  return indexed.length > 0 || isOver
    ? { hits: indexed }
    : await findInRecords(target, text, options);
}

async function findInRecords(
  target: Pick<Target, "clock" | "orders" | "records">,
  text: string,
  options: FindOptions,
): Promise<Found> {
  const { merchant, as } = options;
  const fieldOf = (record: CallbackRecord) => {
    if (merchant !== undefined && record.merchantId !== merchant) return undefined;
    const fields = fieldsWith(record, text);
    return as === undefined ? fields[0] : fields.find((field) => field === "transactionId");
  };
  const isMatch = (record: CallbackRecord) => fieldOf(record) !== undefined;
  const { matches, records, since } = await lookThrough(target, isMatch, options);
  const hits = await hitsOf(target, matches, (record) => fieldOf(record) ?? "");
  return { hits, lookedThrough: { records, since } };
}

async function findContaining(
  target: Pick<Target, "clock" | "orders">,
  text: string,
  { stopped }: FindOptions,
): Promise<OrderPage & { readonly from: string }> {
  const now = target.clock.now();
  const [from, until] = [toRfc3339(now - rangeMilliseconds), toRfc3339(now + 60_000)];
  const query = { text, from, until, limit: mostContaining };
  return { from, ...(await listOrders(target, query, { stopped, tell: () => undefined })) };
}

async function findByIndex(
  target: Pick<Target, "stack" | "orders" | "records">,
  text: string,
  { merchant, as }: FindOptions,
): Promise<SearchHit[]> {
  const merchantIds = merchant === undefined ? merchantIdsOf(target.stack) : [merchant];
  const found = await Promise.all(
    merchantIds.flatMap((merchantId) =>
      findersFor(as).map((find) => find(target, merchantId, text)),
    ),
  );
  return found.flat();
}

/** No index has transactions. */
function findersFor(as: SearchKind | undefined) {
  const finders = { order: findOrder, payment: findPayment, callback: findCallback };
  if (as === "transaction") return [];
  return as === undefined ? Object.values(finders) : [finders[as]];
}

/** Also an order that only quarantined callbacks name. */
async function findOrder(
  target: Pick<Target, "orders" | "records">,
  merchantId: string,
  orderNo: string,
): Promise<SearchHit[]> {
  const order = await loadOrder(target.orders.database, target.orders.table, merchantId, orderNo);
  const base = { what: "order number", merchantId, orderNo };
  if (order.revision > 0) return [{ ...base, status: statusOf(order), isQuarantined: false }];
  const records = await recordsOfGroup(target, groupOf(order));
  return records.length === 0 ? [] : [{ ...base, isQuarantined: true }];
}

async function findPayment(
  target: Pick<Target, "orders">,
  merchantId: string,
  paymentId: string,
): Promise<SearchHit[]> {
  const { database, table } = target.orders;
  const payment = await loadPayment(database, table, merchantId, paymentId);
  if (payment.revision === 0) return [];
  const order = await orderOf(target, payment);
  const status = order && statusOf(order);
  const base = { what: "payment", merchantId, paymentId, isQuarantined: false };
  return [{ ...base, orderNo: order?.orderNo, status }];
}

async function findCallback(
  target: Pick<Target, "orders" | "records">,
  merchantId: string,
  callbackId: string,
): Promise<SearchHit[]> {
  const records = await recordsOfCallback(target, merchantId, callbackId);
  return await hitsOf(target, records.slice(0, 1), () => "callback");
}
