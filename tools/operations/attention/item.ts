import * as z from "zod";
import {
  type Attention,
  type AttentionKind,
  attentionFields,
} from "../../../shared/attention/attention.ts";
import { sha256Of } from "../../../shared/sha256.ts";
import type { RecordKey, StoredPayload } from "../records/read-records.ts";
import type { Target } from "../target/target.ts";

/**
 * `untried`: a subscriber is pending, and nothing has tried to deliver for minutes, as after somebody purged the inbox.
 * `finished`: it needs nobody, and only a redrive of its whole order names it.
 */
export type ItemKind = AttentionKind | "untried" | "finished";

/** A record that needs a person, or may soon need one, as the index has it. */
export interface QuarantinedItem {
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

/** One item with everything that is stored of it. */
export interface ShownItem {
  readonly item: QuarantinedItem;
  readonly payload: StoredPayload;
  readonly eventName: string | undefined;
  readonly keyVersion: string | undefined;
  readonly traceparent: string;
}

/** An item with what an operation on it needs. */
export interface FoundItem {
  readonly item: QuarantinedItem;
  readonly key: RecordKey;
  readonly attention: Attention;
  readonly group: string;
  /** When its record expires once the matter is settled, in seconds; undefined if it never does. */
  readonly keptUntil: number | undefined;
}

const rowSchema = z.object({
  callbackKey: z.string(),
  receipt: z.string(),
  group: z.string(),
  merchantId: z.string(),
  type: z.string().optional(),
  reason: z.string().optional(),
  detail: z.string().optional(),
  callbackId: z.string().optional(),
  receivedAt: z.string(),
  keptUntil: z.int().optional(),
  attention: attentionFields.attention,
  attentionSince: z.string(),
});

/** What the index by attention, or a record, says. */
export function foundItem(
  { subscribers: configured }: Target,
  stored: object,
): FoundItem | undefined {
  const { attention, attentionSince: since, ...row } = rowSchema.parse(stored);
  if (attention === undefined) return undefined;
  const { callbackKey, receipt, group, keptUntil, type, detail, callbackId, ...listed } = row;
  const { kind, subscribers = {}, orderNo, paymentId } = attention;
  const { reason = "subscriber-unreachable", merchantId, receivedAt } = listed;
  const key = { callbackKey, receipt };
  const item: QuarantinedItem = {
    id: itemId(key),
    kind,
    since,
    reason,
    subscribers,
    orderNo,
    paymentId,
    type,
    detail,
    callbackId,
    merchantId,
    receivedAt,
    gone: Object.keys(subscribers).filter((name) => configured.every((one) => one.name !== name)),
  };
  return { item, key, attention, group, keptUntil };
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
  readonly kind?: AttentionKind | undefined;
  readonly reason?: string | undefined;
  readonly merchantId?: string | undefined;
  readonly subscriber?: string | undefined;
  readonly orderNo?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}
