/**
 * Kinds of attention of a receipt's record. `waiting`: a subscriber's queue rejects the event, which is retried.
 * `undeliverable`: Paycast has given up. `quarantined`: an authentic message that could not be understood.
 */
export const receiptKinds = ["waiting", "undeliverable", "quarantined"] as const;

/** Unusual things about money or an order. Each is a notice, a record of its own (notice.ts). */
export const noticeKinds = [
  "mismatch",
  "contradicted",
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
