import * as z from "zod/mini";
import { aggregateKeyOf, readAggregateKey, type Subject } from "../facts/subject.ts";
import { itemFormat } from "../table/item-format.ts";
import type { ConditionalPut } from "../table/put-items.ts";
import { toRfc3339 } from "../time/timestamp.ts";
import { type Attention, attentionAttributes, attentionFields } from "./attention.ts";
import { type NoticeKind, noticeKinds } from "./attention-kinds.ts";
import type { Claim } from "./claim.ts";

/**
 * Notices are in the table of callback records, with keys of their own: no record of a receipt starts like this,
 * because a merchant id is never empty and has no "#". Functions that write no receipts may put only items with this
 * prefix.
 */
export const noticePrefix = "#notice#";

/** All notices about an order or a payment have the same partition key, so that one query finds them. */
export function noticeKeyOf(subject: Subject): string {
  return `${noticePrefix}${aggregateKeyOf(subject)}`;
}

/** The subject of such a key. Undefined for the key of a record. */
export function readNoticeKey(callbackKey: string): Subject | undefined {
  if (!callbackKey.startsWith(noticePrefix)) return undefined;
  return readAggregateKey(callbackKey.slice(noticePrefix.length));
}

/** What the fact that revealed a notice states, so that an operator can compare it with the order. */
const revealedSchema = z.object({
  factId: z.optional(z.string()),
  type: z.optional(z.string()),
  callbackId: z.optional(z.string()),
  transactionId: z.optional(z.string()),
  refundId: z.optional(z.string()),
  /** With its currency, if it has one. */
  amount: z.optional(z.string()),
});
export type Revealed = z.output<typeof revealedSchema>;

/**
 * Something unusual about money or an order that an operator should see. A notice has no message, cannot be redriven,
 * and is only in the index of attention. It does not expire while it is open.
 */
export const noticeSchema = z.object({
  callbackKey: z.string(),
  itemFormat: z.int(),
  /** The kind and what revealed it. Each fact has one notice of a kind, however often the fact is reported. */
  receipt: z.string(),
  outcome: z.literal("notice"),
  kind: z.enum(noticeKinds),
  merchantId: z.string(),
  orderNo: z.optional(z.string()),
  paymentId: z.optional(z.string()),
  noticedAt: z.string(),
  revealed: z.optional(revealedSchema),
  /** Becomes `expiresAt` when an operator dismisses the notice. In seconds. */
  keptUntil: z.int(),
  dismissedAt: z.optional(z.string()),
  /** Set when the order's end is recorded, which closes the notice. */
  endedAt: z.optional(z.string()),
  expiresAt: z.optional(z.int()),
  ...attentionFields,
});
export type Notice = z.output<typeof noticeSchema>;

/** A closed notice is kept as long as a record. */
export interface NoticeSettings {
  readonly recordExpiryDays: number;
  readonly now: () => number;
}

interface Noticed {
  readonly subject: Subject;
  readonly kind: NoticeKind;
  /** The fact or the payment that revealed it. Without it, an order has one notice of this kind. */
  readonly revealedBy?: string;
  /** Other names to search by: the order or the payment of the subject. */
  readonly orderNo?: string | undefined;
  readonly paymentId?: string | undefined;
  readonly revealed?: Revealed;
  readonly claims?: Claim;
}

export function openNotice(noticed: Noticed, settings: NoticeSettings): Notice {
  const { kind, revealed, claims } = noticed;
  const named = namedPart(noticed);
  const noticedAt = toRfc3339(settings.now());
  const about: Attention = { kind, ...aboutOf(named), ...(claims && { claims }) };
  return {
    ...named,
    noticedAt,
    ...(revealed && { revealed }),
    keptUntil: keptUntilOf(settings),
    ...attentionAttributes(named, about, noticedAt),
  };
}

/** Replaces an open or dismissed notice when the order's end is recorded. */
export function endedNotice(noticed: Noticed, settings: NoticeSettings): Notice {
  const endedAt = toRfc3339(settings.now());
  const keptUntil = keptUntilOf(settings);
  return {
    ...namedPart(noticed),
    noticedAt: endedAt,
    endedAt,
    keptUntil,
    expiresAt: keptUntil,
  };
}

function namedPart({ subject, kind, revealedBy, ...names }: Noticed) {
  const { merchantId, kind: _kind, ...own } = subject;
  return {
    callbackKey: noticeKeyOf(subject),
    itemFormat,
    receipt: revealedBy === undefined ? kind : `${kind}#${revealedBy}`,
    outcome: "notice" as const,
    kind,
    merchantId,
    ...aboutOf({ ...names, ...own }),
  };
}

function aboutOf({ orderNo, paymentId }: Pick<Attention, "orderNo" | "paymentId">) {
  return {
    ...(orderNo !== undefined && { orderNo }),
    ...(paymentId !== undefined && { paymentId }),
  };
}

function keptUntilOf({ recordExpiryDays, now }: NoticeSettings): number {
  return Math.floor(now() / 1000) + recordExpiryDays * 86_400;
}

/** An open or dismissed notice stays as it is. A closed one may be opened again. */
const isNewOrEnded = "attribute_not_exists(callbackKey) OR attribute_exists(endedAt)";

export function putNotice(table: string, notice: Notice): ConditionalPut {
  return notice.endedAt === undefined
    ? { table, item: notice, condition: isNewOrEnded }
    : { table, item: notice };
}
