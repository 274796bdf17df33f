import type { NoticeKind } from "../../../shared/attention/attention-kinds.ts";
import { type Notice, noticeKeyOf, noticeSchema } from "../../../shared/attention/notice.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { eventSchema, type PaycastEvent } from "../../../shared/events/event.ts";
import { groupOf, type Subject } from "../../../shared/facts/subject.ts";
import { loadOrder, loadPaymentsOf } from "../../../shared/orders/aggregate-store.ts";
import { isOpen } from "../../../shared/orders/due.ts";
import type { Attempt, Order } from "../../../shared/orders/order.ts";
import { type OrderView, viewOrder } from "../../../shared/storefront/order-view.ts";
import { queryAll } from "../../../shared/table/query-index.ts";
import { optionalRfc3339, toRfc3339 } from "../../../shared/time/timestamp.ts";
import { merchantIdsOf, noSuchMerchant, severalMerchants } from "../ports/stack.ts";
import type { Target } from "../ports/target.ts";
import { recordsOfGroup } from "../records/read-records.ts";
import { addDeadLetters } from "./add-dead-letters.ts";
import { readOtherNumber } from "./other-number.ts";
import type { OtherNumber } from "./other-number-text.ts";
import { type ReceiptEntry, toReceiptEntry } from "./receipt-entry.ts";

/** A call that tried to create the order at the service. */
interface AttemptEntry {
  readonly kind: "attempt";
  readonly at: string;
  readonly state: Attempt["state"];
  readonly paymentId?: string | undefined;
  /** The service's message when it rejected the order. Only that of the latest attempt is kept. */
  readonly refusal?: { readonly code: string; readonly msg: string } | undefined;
}

/** What is odd about the order or one of its payments. */
export interface NoticeEntry {
  readonly kind: "notice";
  readonly at: string;
  readonly notice: NoticeKind;
  readonly state: "open" | "dismissed" | "ended";
  readonly transactionId?: string | undefined;
  readonly amount?: string | undefined;
}

export type TimelineEntry = AttemptEntry | NoticeEntry | ReceiptEntry;

/**
 * What the service said of the stored status when it was last queried. `not-confirmed` is also a query in progress, and
 * one without a usable response.
 */
type QueryResult = "confirmed" | "new-status" | "not-confirmed";

export interface OrderTimeline {
  /** The order as the storefront sees it. Absent if only quarantined callbacks speak of it. */
  readonly order?: OrderView;
  readonly merchantId: string;
  readonly orderNo: string;
  /** The latest query to the service about the order; `claimedUntil` while no other is sent. */
  readonly lastQuery?: { readonly claimedUntil?: string; readonly result: QueryResult };
  /** When reconciliation queries the service about the order. */
  readonly nextCheckAt?: string | undefined;
  /** If the payment service cuts order numbers: the other number of the same order. */
  readonly otherNumber?: OtherNumber | undefined;
  /** Oldest first: the order's own receipts, and those of its payments. */
  readonly entries: readonly TimelineEntry[];
}

/**
 * Everything that is stored of an order. Without a merchant, all merchants of the stack are tried. Throws `nothing-stored`, or
 * `wrong-usage` if several merchants have such an order.
 */
export async function readOrderTimeline(
  target: Pick<Target, "stack" | "orders" | "records" | "queues">,
  orderNo: string,
  merchantId?: string,
): Promise<OrderTimeline> {
  const known = merchantIdsOf(target.stack);
  if (merchantId !== undefined && !known.includes(merchantId)) throw noSuchMerchant(known);
  const merchantIds = merchantId === undefined ? known : [merchantId];
  const found = await Promise.all(merchantIds.map((id) => timelineOf(target, id, orderNo)));
  const [first, ...others] = found.flatMap((timeline) => (timeline ? [timeline] : []));
  if (first === undefined) throw new PaycastError("nothing-stored", unknownOrder);
  if (others.length === 0) return first;
  throw severalMerchants([first, ...others].map((timeline) => timeline.merchantId));
}

async function timelineOf(
  target: Pick<Target, "orders" | "records" | "queues">,
  merchantId: string,
  orderNo: string,
): Promise<OrderTimeline | undefined> {
  const { database, table } = target.orders;
  const order = await loadOrder(database, table, merchantId, orderNo);
  const payments = await loadPaymentsOf(database, table, order);
  const records = await Promise.all(
    [order, ...payments].map((aggregate) => recordsOfGroup(target, groupOf(aggregate))),
  );
  const recorded = records.flatMap((ofOne) => withStatuses(ofOne.map(toReceiptEntry)));
  const receipts = await addDeadLetters(target, recorded);
  const notices = await Promise.all([order, ...payments].map((about) => noticesOf(target, about)));
  const isStored = order.revision > 0;
  if (!isStored && receipts.length === 0) return undefined;
  const freshness = { stale: false, nowMilliseconds: database.now() };
  return {
    merchantId,
    orderNo,
    ...(isStored && { order: viewOrder(order, payments, freshness) }),
    ...lastQueryOf(order, database.now()),
    nextCheckAt: optionalRfc3339(order.dueAtMilliseconds),
    otherNumber: await readOtherNumber(target, order),
    entries: [...creationEntries(order), ...receipts, ...notices.flat()].sort(byTime),
  };
}

/** All notices about an order or a payment have one partition key. What this version cannot read is omitted. */
async function noticesOf(
  target: Pick<Target, "records">,
  subject: Subject,
): Promise<NoticeEntry[]> {
  const { database, table } = target.records;
  const partition = { callbackKey: noticeKeyOf(subject) };
  const items = await queryAll(database, { table, partition });
  return items.flatMap((item) => {
    const { data: notice } = noticeSchema.safeParse(item);
    return notice === undefined ? [] : toNoticeEntry(notice);
  });
}

function toNoticeEntry(notice: Notice): NoticeEntry {
  const { kind, noticedAt, endedAt, dismissedAt, revealed } = notice;
  const isEnded = endedAt !== undefined;
  return {
    kind: "notice",
    at: noticedAt,
    notice: kind,
    state: isEnded ? "ended" : dismissedAt === undefined ? "open" : "dismissed",
    transactionId: revealed?.transactionId,
    amount: revealed?.amount,
  };
}

function lastQueryOf(order: Order, now: number): Pick<OrderTimeline, "lastQuery"> {
  const { question } = order;
  if (question.kind === "none") return {};
  const { untilMilliseconds } = question;
  const isOver = untilMilliseconds <= now;
  const claimed = isOver ? {} : { claimedUntil: toRfc3339(untilMilliseconds) };
  return { lastQuery: { ...claimed, result: resultOf(order, question) } };
}

/** If reconciliation finds that the order has ended, the claim of its query stays. */
function resultOf(order: Order, question: Order["question"]): QueryResult {
  const isEndFound = order.payment.origin === "query" && !isOpen(order);
  switch (question.kind) {
    case "answered":
      return question.isConfirmation ? "confirmed" : "not-confirmed";
    case "awaiting":
      return "new-status";
    case "asking":
    case "none":
      return isEndFound ? "new-status" : "not-confirmed";
  }
}

function creationEntries({ attempts }: Order): TimelineEntry[] {
  return attempts.map((attempt) => {
    const { startedAtMilliseconds, state, paymentId, refusal: refused } = attempt;
    const refusal = refused && { code: refused.code, msg: refused.msg };
    return { kind: "attempt", at: toRfc3339(startedAtMilliseconds), state, paymentId, refusal };
  });
}

function byTime(left: TimelineEntry, right: TimelineEntry): number {
  return left.at < right.at ? -1 : left.at > right.at ? 1 : sequenceOf(left) - sequenceOf(right);
}

function sequenceOf(entry: TimelineEntry): number {
  return entry.kind === "receipt" ? (entry.published?.sequence ?? 0) : 0;
}

const unknownOrder =
  "Nothing is stored about this order. A callback that names no order is in: npx paycast attention list.";

/**
 * Adds what each event changed. `entries` are all receipts of one aggregate: each event holds the snapshot after its
 * fact, and the event with the sequence before it holds the snapshot before.
 */
export function withStatuses(entries: readonly ReceiptEntry[]): ReceiptEntry[] {
  const events = new Map(
    entries.flatMap(({ published }) => {
      const read = eventSchema.safeParse(published?.event);
      return published !== undefined && read.success ? [[published.sequence, read.data]] : [];
    }),
  );
  return entries.map((entry) => {
    const { sequence = 0 } = entry.published ?? {};
    const event = events.get(sequence);
    return event === undefined
      ? entry
      : { ...entry, ...changeBy(event, sequence, events.get(sequence - 1)) };
  });
}

function changeBy(
  event: PaycastEvent,
  sequence: number,
  previous: PaycastEvent | undefined,
): Pick<ReceiptEntry, "statusBefore" | "statusAfter"> {
  const statusAfter = statusIn(event, event);
  if (previous !== undefined) return { statusBefore: statusIn(previous, event), statusAfter };
  // Every order begins as pending. A refund has no status before its first fact.
  return {
    statusBefore: sequence === 1 && "order" in event.data ? "pending" : undefined,
    statusAfter,
  };
}

/** The status of the order, or of the refund that `asked` is about, in a snapshot. */
function statusIn({ data }: PaycastEvent, { data: asked }: PaycastEvent): string | undefined {
  if ("order" in data) return data.order.status;
  const { refunds } = data.payment;
  return "refundId" in asked
    ? refunds.find(({ refundId }) => refundId === asked.refundId)?.status
    : undefined;
}
