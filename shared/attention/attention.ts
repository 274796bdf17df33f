import * as z from "zod/mini";
import type { Subject } from "../facts/subject.ts";
import { sha256Of } from "../sha256.ts";
import { type AttentionKind, attentionKinds, receiptKinds } from "./attention-kinds.ts";
import { claimSchema } from "./claim.ts";

/** The parts of the index. Notices are rare, so all their kinds share one part. */
export const attentionParts = [...receiptKinds, "notice"] as const;
export type AttentionPart = (typeof attentionParts)[number];

export function partOf(kind: AttentionKind | AttentionPart): AttentionPart {
  return receiptKinds.find((receiptKind) => receiptKind === kind) ?? "notice";
}

/** The sparse index of records that need attention now. */
export const byAttentionIndex = "by-attention";

/**
 * The attributes in the index besides its key: what a list shows, filters and sorts by, never a plaintext or an event.
 * A projection can never be changed, so everything about the attention is inside of the one attribute of that name.
 */
export const listedAttributes = [
  "attention",
  "merchantId",
  "type",
  "reason",
  "detail",
  "callbackId",
  "group",
  "receivedAt",
  "keptUntil",
] as const;

/** Spreads the writes of an outage over several partition keys: one key takes 1,000 writes per second. */
export const attentionShards = 8;

/** Every record keeps this much room, so that its attention always fits into the item. */
export const attentionBytes = 4_096;

const attentionSchema = z.object({
  kind: z.enum(attentionKinds),
  /** Each subscriber without the event, and the name of the error that its queue returned. */
  subscribers: z.optional(z.record(z.string(), z.string())),
  orderNo: z.optional(z.string()),
  paymentId: z.optional(z.string()),
  claims: z.optional(claimSchema),
});
export type Attention = z.output<typeof attentionSchema>;

/** The attributes of a record that needs attention. The last two are the key of the index. */
export const attentionFields = {
  /** Attention that this version cannot read, because a newer one wrote it, counts as none. */
  attention: z.catch(z.optional(attentionSchema), undefined),
  attentionShard: z.optional(z.string()),
  /** When this kind of attention began. */
  attentionSince: z.optional(z.string()),
};

export interface AttentionSince {
  readonly attention: Attention;
  readonly since: string;
}

interface AttentionAttributes {
  readonly attention: Attention;
  readonly attentionShard: string;
  readonly attentionSince: string;
}

export function attentionAttributes(
  { callbackKey }: { readonly callbackKey: string },
  attention: Attention,
  since: string,
): AttentionAttributes {
  const shard = Number.parseInt(sha256Of(callbackKey).slice(0, 4), 16) % attentionShards;
  return {
    attention,
    attentionShard: attentionPartition(partOf(attention.kind), shard),
    attentionSince: since,
  };
}

function attentionPartition(part: AttentionPart, shard: number): string {
  return `${part}#${shard}`;
}

/** All partition keys of a part of the index. */
export function attentionPartitions(part: AttentionPart): string[] {
  return Array.from({ length: attentionShards }, (_item, shard) => attentionPartition(part, shard));
}

/** The order or payment of a record, for lists. */
export function aboutOf(
  subject: Subject | undefined,
): Pick<Attention, "orderNo"> | Pick<Attention, "paymentId"> {
  if (subject === undefined) return {};
  return subject.kind === "order" ? { orderNo: subject.orderNo } : { paymentId: subject.paymentId };
}

/** The parts of an update expression that set and remove a record's attention. */
export const attentionAssignments = [
  "attention = :attention",
  "attentionShard = :attentionShard",
  "attentionSince = :attentionSince",
] as const;
export const removeAttention = "REMOVE attention, attentionShard, attentionSince";
