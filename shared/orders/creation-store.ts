import { type Notice, type NoticeSettings, openNotice } from "../attention/notice.ts";
import { putWithNotices } from "../attention/put-with-notices.ts";
import { raisedFlags, unionOfFlags } from "../facts/flags.ts";
import type { Database } from "../table/database.ts";
import { tableCallMilliseconds } from "../timing.ts";
import {
  type Aggregate,
  loadOrder,
  loadPayment,
  retryOnContention,
  saveAggregates,
  saveOrder,
  saveWithNotices,
  type Tables,
} from "./aggregate-store.ts";
import { refundsContradict } from "./check-refunds.ts";
import {
  type AttemptEnd,
  type Beginning,
  beginCreation,
  type CreationRequest,
  endCreation,
  type PaymentEnd,
} from "./creation.ts";
import { dueAtOnce, isOpen } from "./due.ts";
import type { Order } from "./order.ts";
import { claimOfOrder } from "./order-notices.ts";
import { inOrderCurrency, newPayment, type Payment } from "./payment.ts";

export interface OrderName {
  readonly merchantId: string;
  readonly orderNo: string;
}

/**
 * Stores the attempt before anything is sent, so that callbacks find the order and only one of several concurrent
 * callers sends it. Returns the order as stored.
 */
export async function storeBeginning(
  database: Database,
  table: string,
  { merchantId, orderNo }: OrderName,
  request: CreationRequest,
  attemptId: string,
): Promise<{ readonly beginning: Beginning; readonly order: Order }> {
  return await retryOnContention(database, async () => {
    const order = await loadOrder(database, table, merchantId, orderNo);
    // An earlier iteration wrote it, but DynamoDB's response was lost.
    if (order.attempts.at(-1)?.attemptId === attemptId) {
      return { beginning: { kind: "begun", order, attemptId }, order };
    }
    const beginning = beginCreation(order, request, attemptId, database.now());
    if (beginning.kind !== "begun") return { beginning, order };
    const begun = await saveOrder(database, table, beginning.order);
    return begun && { beginning: { ...beginning, order: begun }, order: begun };
  });
}

/** Stores the end of an attempt that returned no payment. */
export async function storeEnd(
  database: Database,
  table: string,
  { merchantId, orderNo }: OrderName,
  attemptId: string,
  end: AttemptEnd,
): Promise<void> {
  await retryOnContention(database, async () => {
    const order = await loadOrder(database, table, merchantId, orderNo);
    if (!order.attempts.some((attempt) => attempt.attemptId === attemptId)) return true;
    const ended = endCreation(order, attemptId, end);
    return (await saveAggregates(database, table, [ended])) || undefined;
  });
}

/**
 * `claimed`: the payment belongs to another order and stays with it; whether the service has this order is unknown.
 * `mismatch`: earlier refunds contradict the order. `unwritten`: the error that kept the notices from being written.
 */
export type StoredPayment =
  | {
      readonly kind: "stored";
      readonly order: Order;
      readonly payment: Payment;
      readonly mismatch: boolean;
      readonly unwritten?: unknown;
    }
  | ClaimedPayment;

interface ClaimedPayment {
  readonly kind: "claimed";
  readonly unwritten?: unknown;
}

/** Repeats `tryOnce` until it returns a value: first with what is known, then with what is read after each conflict. */
async function retryFrom<State, T>(
  database: Database,
  known: State,
  read: () => Promise<State>,
  tryOnce: (state: State) => Promise<T | undefined>,
): Promise<T> {
  let isRetry = false;
  return await retryOnContention(database, async () => {
    const state = isRetry ? await read() : known;
    isRetry = true;
    return await tryOnce(state);
  });
}

/** Where payments and notices are stored, and how long a notice is kept. */
export interface PaymentStore {
  readonly tables: Tables;
  readonly notices: NoticeSettings;
}

/**
 * Stores the payment that the service returned and links it to the order, in one transaction with its notices. Neither
 * has usually changed since the attempt was stored, so nothing is read unless the transaction's conditions fail.
 */
export async function storePayment(
  database: Database,
  { tables, notices: settings }: PaymentStore,
  begun: Order,
  attemptId: string,
  created: PaymentEnd,
): Promise<StoredPayment> {
  const { merchantId, orderNo } = begun;
  const { paymentId } = created;
  const read = async (): Promise<readonly [Order, Payment]> =>
    await Promise.all([
      loadOrder(database, tables.orders, merchantId, orderNo),
      loadPayment(database, tables.orders, merchantId, paymentId),
    ]);
  const known = [begun, newPayment(merchantId, paymentId)] as const;
  return await retryFrom(database, known, read, async ([order, payment]) => {
    const ended = endCreation(order, attemptId, created);
    const link = linkPayment(payment, ended);
    const notices = noticesOf(order, created, link, settings);
    if (link.kind === "claimed") {
      const unknown = endCreation(order, attemptId, { state: "unknown" });
      return await saveClaimed(database, tables, order, unknown, notices);
    }
    const { payment: linked, mismatch } = link;
    const stored = hasRefunds(linked) && isOpen(ended) ? dueAtOnce(ended, database.now()) : ended;
    const saved = await saveAtAllCosts(database, tables, [stored, linked], notices);
    return saved && { kind: "stored", order: stored, payment: linked, mismatch, ...saved };
  });
}

/**
 * Stores that the service returned a payment of another order. The payment is neither linked nor queried, and whether
 * the service has this order is unknown.
 */
export async function storeOtherOrder(
  database: Database,
  { tables, notices: settings }: PaymentStore,
  begun: Order,
  attemptId: string,
  paymentId: string,
): Promise<ClaimedPayment> {
  const { merchantId, orderNo } = begun;
  const read = () => loadOrder(database, tables.orders, merchantId, orderNo);
  return await retryFrom(database, begun, read, async (order) => {
    const unknown = endCreation(order, attemptId, { state: "unknown" });
    const notices = [claimedTwice(order, paymentId, settings)];
    return await saveClaimed(database, tables, order, unknown, notices);
  });
}

async function saveClaimed(
  database: Database,
  tables: Tables,
  order: Order,
  unknown: Order,
  notices: readonly Notice[],
): Promise<ClaimedPayment | undefined> {
  const changed = unknown === order ? [] : [unknown];
  const saved = await saveAtAllCosts(database, tables, changed, notices);
  return saved && { kind: "claimed", ...saved };
}

function claimedTwice(order: Order, paymentId: string, settings: NoticeSettings): Notice {
  const { merchantId, orderNo } = order;
  const subject = { kind: "order" as const, merchantId, orderNo };
  const claims = claimOfOrder(order);
  const noticed = { subject, paymentId, claims, revealedBy: paymentId };
  return openNotice({ ...noticed, kind: "claimed-twice" }, settings);
}

/** No fact reveals these, so there is one notice per order and payment. */
function noticesOf(
  order: Order,
  { paymentId, isNumberShortened }: PaymentEnd,
  link: Link,
  settings: NoticeSettings,
): Notice[] {
  const { merchantId, orderNo } = order;
  const subject = { kind: "order" as const, merchantId, orderNo };
  const claims = claimOfOrder(order);
  const noticed = { subject, paymentId, claims, revealedBy: paymentId };
  return [
    ...(link.kind === "claimed" ? [claimedTwice(order, paymentId, settings)] : []),
    ...(link.kind === "linked" && link.mismatch
      ? [openNotice({ ...noticed, kind: "mismatch" }, settings)]
      : []),
    ...(isNumberShortened === true
      ? [openNotice({ subject, paymentId, claims, kind: "shortened-number" }, settings)]
      : []),
  ];
}

/**
 * Undefined if another writer was first. A notice must never cause the loss of a payment id: if the write with notices
 * fails, the aggregates are written without them, and the notices are tried once more on their own.
 */
async function saveAtAllCosts(
  database: Database,
  tables: Tables,
  aggregates: readonly Aggregate[],
  notices: readonly Notice[],
): Promise<{ readonly unwritten?: unknown } | undefined> {
  const save = async (within: Database, some: readonly Notice[]) =>
    (await saveWithNotices(within, tables, aggregates, some)) ? {} : undefined;
  if (notices.length === 0) return await save(database, []);
  try {
    return await save(forOneCall(database), notices);
  } catch {
    const saved = await save(database, []);
    if (saved === undefined) return undefined;
    return await putWithNotices(forOneCall(database), tables.callbacks, [], notices).then(
      () => saved,
      (unwritten: unknown) => ({ unwritten }),
    );
  }
}

/** Limits a call that may fail. The rest of the time is for what must be stored. */
function forOneCall(database: Database): Database {
  const endsAt = database.now() + tableCallMilliseconds;
  return { ...database, endsAtMilliseconds: Math.min(database.endsAtMilliseconds, endsAt) };
}

/** A refund shows that the payment was paid, so an open order is due for a query immediately. */
function hasRefunds({ refunds }: Payment): boolean {
  return Object.keys(refunds).length > 0;
}

/**
 * `linked`: the payment with its order, and whether its refunds contradict the order. `claimed`: the payment belongs to
 * another order and stays with it.
 */
type Link =
  | { readonly kind: "linked"; readonly payment: Payment; readonly mismatch: boolean }
  | { readonly kind: "claimed" };

/**
 * Refunds may arrive before the payment is linked. The order gives them a currency and, if it has ended, a limit. Its
 * expected amount is known after the first attempt to create it.
 */
export function linkPayment(payment: Payment, order: Order): Link {
  const { orderNo, expected } = order;
  const isOthers = payment.order !== undefined && payment.order.orderNo !== orderNo;
  if (isOthers || expected === undefined) return { kind: "claimed" };
  const linked = { ...payment, order: { orderNo, expected } };
  const reread = Object.entries(payment.refunds).map(([id, refund]) => {
    const { amount, readable } = inOrderCurrency(linked, refund.amount);
    return { id, refund: { ...refund, amount }, readable };
  });
  const refunds = Object.fromEntries(reread.map(({ id, refund }) => [id, refund]));
  const next = { ...linked, refunds };
  const mismatch = reread.some(({ readable }) => !readable) || refundsContradict(next, order);
  const known = payment.flags.filter((flag) => flag !== "unknownOrder");
  const flags = unionOfFlags(known, raisedFlags({ mismatch }));
  return { kind: "linked", payment: { ...next, flags }, mismatch };
}
