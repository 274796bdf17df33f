import * as z from "zod";
import { type Attention, attentionFields } from "../../../shared/attention/attention.ts";
import { type AttentionKind, noticeKinds } from "../../../shared/attention/attention-kinds.ts";
import { type Revealed, readNoticeKey } from "../../../shared/attention/notice.ts";
import { groupOf } from "../../../shared/facts/subject.ts";
import { sha256Of } from "../../../shared/sha256.ts";
import type { Target } from "../ports/target.ts";
import type { RecordKey, StoredPayload } from "../records/read-records.ts";
import type { OtherNumber } from "../timeline/other-number-text.ts";

/**
 * `untried`: a subscriber is pending, and nothing has tried to deliver for minutes, such as after the inbox was purged.
 * `finished`: it needs no attention, and only a redrive of its whole order names it. `unknown`: an index entry that
 * this version cannot read.
 */
export type ItemKind = AttentionKind | "untried" | "finished" | "unknown";

/** A record that needs attention, or may need it soon, as the index has it. */
export interface AttentionItem {
  /** Stable; the beginning of it is enough to name it. */
  readonly id: string;
  readonly kind: ItemKind;
  /** When this kind of trouble began. */
  readonly since: string;
  readonly reason: string;
  readonly detail: string | undefined;
  /** The subscribers that have not got the event, each with the error of its queue. */
  readonly subscribers: Readonly<Record<string, string>>;
  /** Those of them that are no longer configured: nothing can be sent to them. */
  readonly gone: readonly string[];
  readonly type: string | undefined;
  readonly merchantId: string;
  readonly orderNo: string | undefined;
  readonly paymentId: string | undefined;
  readonly callbackId: string | undefined;
  readonly receivedAt: string;
}

/** An item with everything that is stored of it. */
export type ShownItem = ShownReceipt | ShownNotice;

export interface ShownReceipt {
  readonly item: AttentionItem;
  readonly payload: StoredPayload;
  readonly eventName: string | undefined;
  readonly keyVersion: string | undefined;
  readonly traceparent: string;
}

/** A notice has no payload. Beside it is what is stored of the order or payment that it is about. */
export interface ShownNotice {
  readonly item: AttentionItem;
  readonly revealed: Revealed;
  /** The amount of the order when it was created. */
  readonly expected: string | undefined;
  readonly status: string | undefined;
  /** What was paid and what was refunded, in words. */
  readonly paid: readonly string[];
  readonly refunded: readonly string[];
  readonly otherNumber: OtherNumber | undefined;
}

/** An item with what an operation on it needs. */
export interface FoundItem {
  readonly item: AttentionItem;
  readonly key: RecordKey;
  readonly attention: Attention | undefined;
  /** Where the index has it. */
  readonly attentionShard: string | undefined;
  readonly group: string;
  /** When its record expires once the matter is settled, in seconds; undefined if it never does. */
  readonly keptUntil: number | undefined;
}

const rowSchema = z.object({
  group: z.string().optional(),
  merchantId: z.string(),
  type: z.string().optional(),
  reason: z.string().optional(),
  detail: z.string().optional(),
  callbackId: z.string().optional(),
  receivedAt: z.string().optional(),
  keptUntil: z.int().optional(),
  attention: attentionFields.attention,
});

/** The keys of an index entry. DynamoDB makes sure that they are there. */
const placeSchema = z.object({
  callbackKey: z.string(),
  receipt: z.string(),
  attentionSince: z.string(),
  /** A record that nothing has tried to deliver is in no index. */
  attentionShard: z.string().optional(),
});

const unreadable: z.output<typeof rowSchema> = { merchantId: "", attention: undefined };

/**
 * What the index by attention, or a record, says. An unreadable entry is listed too, because it counts for the alarm.
 */
export function foundItem(
  { queues: { subscribers: configured } }: Pick<Target, "queues">,
  stored: object,
): FoundItem {
  const { attentionSince: since, attentionShard, ...key } = placeSchema.parse(stored);
  const row = rowSchema.safeParse(stored).data ?? unreadable;
  const { attention, keptUntil, type, detail, callbackId, merchantId } = row;
  const { kind = "unknown", subscribers = {}, orderNo, paymentId } = attention ?? {};
  const item: AttentionItem = {
    id: itemId(key),
    kind,
    since,
    reason: row.reason ?? reasonOf(kind),
    subscribers,
    orderNo,
    paymentId,
    type,
    detail,
    callbackId,
    merchantId,
    receivedAt: row.receivedAt ?? since,
    gone: Object.keys(subscribers).filter((name) =>
      configured.every((subscriber) => subscriber.name !== name),
    ),
  };
  const group = row.group ?? groupOfNotice(key);
  return { item, key, attention, attentionShard, group, keptUntil };
}

/** What is not a callback has no reason but its kind. */
function reasonOf(kind: ItemKind): string {
  return kind === "waiting" || kind === "undeliverable" ? "subscriber-unreachable" : kind;
}

/** That of the order or payment that a notice is about; "" if the key is another one. */
function groupOfNotice({ callbackKey }: RecordKey): string {
  const subject = readNoticeKey(callbackKey);
  return subject === undefined ? "" : groupOf(subject);
}

export function isNotice({ item: { kind } }: Pick<FoundItem, "item">): boolean {
  return noticeKinds.some((noticeKind) => noticeKind === kind);
}

/** 48 bits: among 10,000 items two are alike once in millions of stacks. */
const idLength = 12;

export function itemId({ callbackKey, receipt }: RecordKey): string {
  return sha256Of("record", callbackKey, receipt).slice(0, idLength);
}

/** Everything that is given must match. Times are RFC 3339. */
export interface ItemFilter {
  /** Beginnings of ids, one of which must fit. */
  readonly ids?: readonly string[] | undefined;
  /** Also all notices, of whichever kind. */
  readonly kind?: AttentionKind | "notice" | undefined;
  readonly reason?: string | undefined;
  readonly merchantId?: string | undefined;
  readonly subscriber?: string | undefined;
  readonly orderNo?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}
