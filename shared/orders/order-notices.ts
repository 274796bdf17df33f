import type { NoticeKind } from "../attention/attention-kinds.ts";
import type { Claim } from "../attention/claim.ts";
import { endedNotice, type Notice, type NoticeSettings, openNotice } from "../attention/notice.ts";
import type { Order } from "./order.ts";

/** The notices that no fact reveals and that close with the order's end. The order itself shows which are open. */
function openKindsOf({ flags, hasUnreadableAnswer }: Order): NoticeKind[] {
  return [
    ...(flags.includes("unresolved") ? (["unresolved"] as const) : []),
    ...(hasUnreadableAnswer === true ? (["unreadable-answer"] as const) : []),
  ];
}

/** The same for a notice that an operator must dismiss. */
function lastingKindsOf({ isUnpaidDespiteRefund }: Order): NoticeKind[] {
  return isUnpaidDespiteRefund === true ? ["mismatch"] : [];
}

/** What an order claims: the amount that it should be paid with, and its status. */
export function claimOfOrder({ status, expected, payment }: Order): Claim {
  const { value: amount, currency } = expected ?? payment.amount ?? {};
  return { status, ...(amount !== undefined && { amount, currency }) };
}

/**
 * The notices that the transaction writes when it replaces the stored order by the next one. They open and close with
 * the order's own fields, so a notice is never lost and never stays behind.
 */
export function noticesOfChange(stored: Order, next: Order, settings: NoticeSettings): Notice[] {
  const before = openKindsOf(stored);
  const after = openKindsOf(next);
  const opened = [
    ...after.filter((kind) => !before.includes(kind)),
    ...lastingKindsOf(next).filter((kind) => !lastingKindsOf(stored).includes(kind)),
  ];
  const { merchantId, orderNo } = next;
  const noticed = (kind: NoticeKind) => ({
    subject: { kind: "order" as const, merchantId, orderNo },
    kind,
    claims: claimOfOrder(next),
  });
  return [
    ...opened.map((kind) => openNotice(noticed(kind), settings)),
    ...before
      .filter((kind) => !after.includes(kind))
      .map((kind) => endedNotice(noticed(kind), settings)),
  ];
}
