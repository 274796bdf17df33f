/**
 * What is not right about the record of a receipt. `waiting`: a subscriber's queue refuses the event, and it is tried
 * again. `undeliverable`: Paycast has given up. `quarantined`: an authentic message that could not be understood.
 */
export const receiptKinds = ["waiting", "undeliverable", "quarantined"] as const;

/** What is odd about money or an order. Each is a record of its own, a notice: see notice.ts. */
export const noticeKinds = [
  "mismatch",
  "duplicate-payment",
  "conflict",
  "refunded",
  "claimed-twice",
  "shortened-number",
  "unresolved",
  "unreadable-answer",
] as const;
export type NoticeKind = (typeof noticeKinds)[number];

export const attentionKinds = [...receiptKinds, ...noticeKinds] as const;
export type AttentionKind = (typeof attentionKinds)[number];
