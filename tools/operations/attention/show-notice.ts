import { noticeSchema, readNoticeKey } from "../../../shared/attention/notice.ts";
import type { Subject } from "../../../shared/facts/subject.ts";
import { loadOrder, loadPayment, loadPaymentsOf } from "../../../shared/orders/aggregate-store.ts";
import type { Order, Success } from "../../../shared/orders/order.ts";
import type { Payment } from "../../../shared/orders/payment.ts";
import { getItem } from "../../../shared/table/items.ts";
import { databaseOf, type Target } from "../target/target.ts";
import type { FoundItem, ShownNotice } from "./item.ts";

/** A notice with what is stored of its order and payments. Undefined if it is gone. */
export async function showNotice(
  target: Target,
  { item, key }: FoundItem,
): Promise<ShownNotice | undefined> {
  const { callbackKey, receipt } = key;
  const database = databaseOf(target);
  const stored = await getItem(database, target.tables.callbacks, { callbackKey, receipt });
  const subject = readNoticeKey(callbackKey);
  if (stored === undefined || subject === undefined) return undefined;
  const { revealed = {} } = noticeSchema.parse(stored);
  const { order, payments } = await loadAbout(target, subject);
  return {
    item,
    revealed,
    expected: order?.expected && amountText(order.expected),
    status: order?.status,
    paid: order?.successes.map(paidText) ?? [],
    refunded: payments.flatMap(refundTexts),
  };
}

interface About {
  readonly order: Order | undefined;
  readonly payments: readonly Payment[];
}

async function loadAbout(target: Target, subject: Subject): Promise<About> {
  const database = databaseOf(target);
  const table = target.tables.orders;
  const { merchantId } = subject;
  const payment =
    subject.kind === "payment"
      ? await loadPayment(database, table, merchantId, subject.paymentId)
      : undefined;
  const orderNo = subject.kind === "order" ? subject.orderNo : payment?.order?.orderNo;
  if (orderNo === undefined) return { order: undefined, payments: payment ? [payment] : [] };
  const order = await loadOrder(database, table, merchantId, orderNo);
  return { order, payments: await loadPaymentsOf(database, table, order) };
}

function amountText({ value, currency }: { value: string; currency?: string | undefined }): string {
  return currency === undefined ? value : `${value} ${currency}`;
}

function paidText({ amount, transactionId = "not known", paymentId }: Success): string {
  const of = paymentId === undefined ? "" : `, payment ${paymentId}`;
  return `${amountText(amount)}, transaction ${transactionId}${of}`;
}

function refundTexts({ refunds, paymentId }: Payment): string[] {
  return Object.values(refunds).map(({ refundId, status, amount }) => {
    const refunded = amount === undefined ? "amount not known" : amountText(amount);
    return `${refunded}, ${status}, refund ${refundId} of payment ${paymentId}`;
  });
}
