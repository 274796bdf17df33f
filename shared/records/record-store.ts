import {
  type AttentionSince,
  attentionAssignments,
  attentionAttributes,
  attentionBytes,
  removeAttention,
} from "../attention/attention.ts";
import type { Notice } from "../attention/notice.ts";
import { putWithNotices } from "../attention/put-with-notices.ts";
import { PaycastError } from "../errors/paycast-error.ts";
import type { Fact } from "../facts/fact.ts";
import { type InboxMessage, subjectOfMessage } from "../inbox/inbox-message.ts";
import {
  type Aggregate,
  loadOrder,
  putAggregate,
  retryOnContention,
  saveWithNotices,
  type Tables,
} from "../orders/aggregate-store.ts";
import { itemBytes, mostItemBytes } from "../table/attributes.ts";
import type { Database } from "../table/database.ts";
import { itemFormat } from "../table/item-format.ts";
import { type Item, updateItem } from "../table/items.ts";
import type { ConditionalPut } from "../table/put-items.ts";
import type { CallbackRecord, PublishedRecord, QuarantinedRecord } from "./callback-record.ts";
import { loadContext } from "./load-context.ts";
import { readRecord, recordItem } from "./stored-record.ts";

/** `recorded`: the record exists. `lost-race`: another writer changed the aggregate first. */
export type Commit =
  | { readonly kind: "committed" }
  | { readonly kind: "recorded"; readonly record: CallbackRecord }
  | { readonly kind: "lost-race" };

/** The table access that recording a receipt or a quarantine needs. */
export function recordStore(database: Database, tables: Tables) {
  return {
    loadContext: (fact: Fact) => loadContext(database, tables.orders, fact),
    loadOrder: (message: InboxMessage) => loadOrderOf(database, tables.orders, message),
    commit: commitRecord.bind(undefined, database, tables),
    save: saveWithNotices.bind(undefined, database, tables),
    noteTry: noteTry.bind(undefined, database, tables),
    giveUp: (record: PublishedRecord, remaining: AttentionSince) =>
      markDelivery(database, tables, record, { delivered: [], at: remaining.since, remaining }),
    retryOnContention: <T>(tryOnce: () => Promise<T | undefined>) =>
      retryOnContention(database, tryOnce),
  };
}

async function loadOrderOf(database: Database, table: string, message: InboxMessage) {
  const subject = subjectOfMessage(message);
  if (subject?.kind !== "order") return undefined;
  return await loadOrder(database, table, subject.merchantId, subject.orderNo);
}

const isNew = "attribute_not_exists(callbackKey)";
/**
 * A quarantined message that is now understood replaces its own record, unless an operator dismissed it or a newer
 * version wrote it.
 */
const isQuarantined =
  "outcome = :quarantined AND contentHash = :contentHash AND attribute_exists(attention) AND itemFormat = :itemFormat";

/** Writes the record, the aggregates that change, and new notices in one transaction. */
export async function commitRecord(
  database: Database,
  tables: Tables,
  record: CallbackRecord,
  aggregates: readonly Aggregate[],
  notices: readonly Notice[] = [],
): Promise<Commit> {
  const puts = [
    putRecord(tables, record),
    ...aggregates.map((aggregate) => putAggregate(tables.orders, aggregate)),
  ];
  const outcome = await putWithNotices(database, tables.callbacks, puts, notices);
  if (outcome.kind === "written") return { kind: "committed" };
  const [found] = outcome.found;
  if (found === undefined) return { kind: "lost-race" };
  return { kind: "recorded", record: readRecord(found) };
}

function putRecord({ callbacks }: Tables, record: CallbackRecord): ConditionalPut {
  const item = recordItem(record);
  requireRoom(item);
  if (record.outcome === "quarantined") return { table: callbacks, item, condition: isNew };
  const { contentHash } = record;
  const values = { quarantined: "quarantined", contentHash, itemFormat };
  return { table: callbacks, item, condition: `${isNew} OR (${isQuarantined})`, values };
}

/**
 * Keeps room for the attention within DynamoDB's 400 KB. An event that could not be marked as undeliverable would be
 * lost.
 */
function requireRoom(item: Item): void {
  if (itemBytes(item) <= mostItemBytes - attentionBytes) return;
  throw new PaycastError("item-too-large", "The record is too large for DynamoDB.");
}

/** A quarantined message was processed again and is still not understood, perhaps for another reason. */
async function noteTry(
  database: Database,
  { callbacks: table }: Tables,
  { callbackKey, receipt }: QuarantinedRecord,
  { code: reason, message: detail }: PaycastError,
  triedAt: string,
): Promise<void> {
  await updateItem(database, {
    table,
    key: { callbackKey, receipt },
    expression: "SET reason = :reason, detail = :detail, triedAt = :triedAt",
    condition: "outcome = :quarantined",
    values: { reason, detail, triedAt, quarantined: "quarantined" },
  });
}

/** The result of one attempt to deliver an event. */
export interface Marking {
  readonly delivered: readonly string[];
  readonly at: string;
  /** The attention of the record, if subscribers are still pending. */
  readonly remaining?: AttentionSince | undefined;
}

/**
 * Removes the subscribers that have the event from the pending set and stores when they received it. Also stores who is
 * still pending and why. If nobody is, the attention ends and the record may expire. Returns false if a subscriber in
 * `remaining` is no longer pending: another instance delivered to it, or an operator dismissed it.
 */
export async function markDelivery(
  database: Database,
  { callbacks: table }: Tables,
  record: PublishedRecord,
  marking: Marking,
): Promise<boolean> {
  const { callbackKey, receipt } = record;
  const { delivered, remaining } = marking;
  const run = async (change: Change) =>
    await updateItem(database, {
      table,
      key: { callbackKey, receipt },
      expression: expressionOf(change),
      condition: change.conditions.join(" AND "),
      names: change.names,
      values: change.values,
    });
  const arrived = takeDelivered(marking);
  if (remaining === undefined) {
    // If the record was deleted meanwhile, it needs no mark: every subscriber has the event.
    await run(allDelivered(arrived, record));
    return true;
  }
  if (await run(someRemaining(arrived, record, remaining))) return true;
  if (delivered.length > 0) await run(arrived);
  return false;
}

/** The parts of one update. */
interface Change {
  readonly set: readonly string[];
  readonly others: readonly string[];
  readonly conditions: readonly string[];
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, unknown>>;
}

function expressionOf({ set, others }: Change): string {
  return [...(set.length > 0 ? [`SET ${set.join(", ")}`] : []), ...others].join(" ");
}

/** Also removes them from `dismissed`: an event that was being sent when an operator dismissed it has arrived. */
function takeDelivered({ delivered, at }: Marking): Change {
  const conditions = ["attribute_exists(callbackKey)"];
  if (delivered.length === 0) return { set: [], others: [], conditions, names: {}, values: {} };
  return {
    set: delivered.map((_name, index) => `delivered.#to${index} = :at`),
    others: ["DELETE pending :done, dismissed :done"],
    conditions,
    names: Object.fromEntries(delivered.map((name, index) => [`to${index}`, name])),
    values: { done: new Set(delivered), at },
  };
}

function allDelivered(arrived: Change, { keptUntil }: PublishedRecord): Change {
  const expires = keptUntil !== undefined;
  return {
    ...arrived,
    set: [...arrived.set, ...(expires ? ["expiresAt = :keptUntil"] : [])],
    others: [...arrived.others, removeAttention],
    values: { ...arrived.values, ...(expires && { keptUntil }) },
  };
}

function someRemaining(
  arrived: Change,
  record: PublishedRecord,
  { attention, since }: AttentionSince,
): Change {
  const names = Object.keys(attention.subscribers ?? {});
  const arePending = names.map((_item, index) => `contains(pending, :remaining${index})`);
  return {
    ...arrived,
    set: [...arrived.set, ...attentionAssignments],
    conditions: [...arrived.conditions, ...arePending],
    values: {
      ...arrived.values,
      ...attentionAttributes(record, attention, since),
      ...Object.fromEntries(names.map((name, index) => [`remaining${index}`, name])),
    },
  };
}
