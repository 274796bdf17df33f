import { noticeSchema, type Revealed, readNoticeKey } from "../../../shared/attention/notice.ts";
import type { Subject } from "../../../shared/facts/subject.ts";
import { loadOrder, loadPayment, loadPaymentsOf } from "../../../shared/orders/aggregate-store.ts";
import type { Order, Success } from "../../../shared/orders/order.ts";
import type { Payment } from "../../../shared/orders/payment.ts";
import { getItem } from "../../../shared/table/items.ts";
import { fewAtOnce } from "../few-at-once.ts";
import type { Target } from "../ports/target.ts";
import { readOtherNumber } from "../timeline/other-number.ts";
import { type AttentionItem, type FoundItem, isNotice, type ShownNotice } from "./item.ts";

/** A notice with what is stored of its order and payments. Undefined if it is gone. */
export async function showNotice(
  target: Pick<Target, "orders" | "records">,
  { item, key }: FoundItem,
): Promise<ShownNotice | undefined> {
  const { callbackKey, receipt } = key;
  const { database, table } = target.records;
  const stored = await getItem(database, table, { callbackKey, receipt });
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
    otherNumber: order && (await readOtherNumber(target, order)),
  };
}

interface About {
  readonly order: Order | undefined;
  readonly payments: readonly Payment[];
}

async function loadAbout(target: Pick<Target, "orders">, subject: Subject): Promise<About> {
  const { database, table } = target.orders;
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

/** So many notices of a list have their amounts: each needs some reads. */
const mostWithMoney = 20;

/** The items of a list. The newest notices about money say which amounts and transactions it is about. */
export async function addMoney(
  target: Pick<Target, "orders" | "records">,
  found: readonly FoundItem[],
): Promise<AttentionItem[]> {
  const shown = found.filter(isNotice).slice(0, mostWithMoney);
  const details = await fewAtOnce(shown, async (notice) => {
    // The list is shown even if a newer version wrote the order.
    const read = await showNotice(target, notice).catch(() => undefined);
    return [notice, read && moneyText(read)] as const;
  });
  const detailOf = new Map(details);
  return found.map((listed) => ({
    ...listed.item,
    detail: detailOf.get(listed) ?? listed.item.detail,
  }));
}

/**
 * Which amounts and transactions a notice is about, in one sentence. Undefined if nothing more is known than its kind.
 */
function moneyText(shown: ShownNotice): string | undefined {
  const { item, revealed, expected, paid, refunded, otherNumber } = shown;
  switch (item.kind) {
    case "duplicate-payment":
      return paid.length > 1 ? `Paid ${paid.join(", and ")}.` : undefined;
    case "mismatch":
    case "contradicted":
      return mismatchText(shown);
    case "conflict": {
      const known = paid.length === 0 ? "nothing paid" : paid.join(", and ");
      return `The other content says ${revealedText(revealed)}. The order has ${known}.`;
    }
    case "shortened-number":
      return otherNumber && `Its callbacks name order ${otherNumber.orderNo}.`;
    case "refunded":
      return [expected && `Created for ${expected}.`, ...refunded].filter(Boolean).join(" ");
    default:
      return undefined;
  }
}

function mismatchText({ revealed, expected, paid, refunded }: ShownNotice): string {
  // A query about a refund, or linking a payment, reveals no fact.
  const isRevealed = revealed.type !== undefined;
  const isAboutRefunds = !isRevealed || revealed.refundId !== undefined;
  const parts = [
    isRevealed ? `Reported ${revealedText(revealed)}` : "The refunds do not match the order",
    expected && `created for ${expected}`,
    isAboutRefunds && paid.length > 0 && `paid ${paid.join(", and ")}`,
    isAboutRefunds && refunded.length > 0 && `refunds ${refunded.join("; ")}`,
  ];
  return `${parts.filter(Boolean).join("; ")}.`;
}

/** "payment.order.success of 12.30 USD, transaction T-1". */
function revealedText({ type, amount, transactionId, refundId, callbackId }: Revealed): string {
  const head = [type ?? "something else", amount && `of ${amount}`].filter(Boolean).join(" ");
  const names = [
    transactionId && `transaction ${transactionId}`,
    refundId && `refund ${refundId}`,
    callbackId && `callback ${callbackId}`,
  ];
  return [head, ...names.filter(Boolean)].join(", ");
}
