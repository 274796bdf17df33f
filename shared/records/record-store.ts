import { type Aggregate, putAggregate } from "../orders/aggregate-store.ts";
import type { Database } from "../table/database.ts";
import { type ConditionalPut, putItems, updateItem } from "../table/items.ts";
import {
  type CallbackRecord,
  callbackRecordSchema,
  type PublishedRecord,
} from "./callback-record.ts";

export interface Tables {
  readonly callbacks: string;
  readonly orders: string;
}

/** `recorded`: the record exists already. `lost-race`: another writer changed the aggregate first. */
export type Commit =
  | { readonly kind: "committed" }
  | { readonly kind: "recorded"; readonly record: CallbackRecord }
  | { readonly kind: "lost-race" };

const isNew = "attribute_not_exists(callbackKey)";
/** A quarantined message that is now understood replaces its own record. */
const wasQuarantined = "outcome = :quarantined AND contentHash = :contentHash";

/** Writes the record, and the aggregate if it changes, together or not at all. */
export async function commitRecord(
  database: Database,
  tables: Tables,
  record: CallbackRecord,
  aggregate?: Aggregate,
): Promise<Commit> {
  const puts = [
    putRecord(tables, record),
    ...(aggregate === undefined ? [] : [putAggregate(tables.orders, aggregate)]),
  ];
  const outcome = await putItems(database, puts);
  if (outcome.kind === "written") return { kind: "committed" };
  const [found] = outcome.found;
  if (found === undefined) return { kind: "lost-race" };
  return { kind: "recorded", record: callbackRecordSchema.parse(found) };
}

function putRecord({ callbacks }: Tables, record: CallbackRecord): ConditionalPut {
  const item =
    record.outcome === "published" ? { ...record, pending: new Set(record.pending) } : record;
  const values = { quarantined: "quarantined", contentHash: record.contentHash };
  return { table: callbacks, item, condition: `${isNew} OR (${wasQuarantined})`, values };
}

/** Removes the subscribers that have the event from the pending set. When the set is empty, the record may expire. */
export async function markDelivered(
  database: Database,
  { callbacks }: Tables,
  record: PublishedRecord,
  done: readonly string[],
): Promise<void> {
  const { callbackKey, receipt, pending, keptUntil } = record;
  const isLast = pending.every((name) => done.includes(name));
  const expiry = isLast && keptUntil !== undefined ? { keptUntil } : undefined;
  const taken = done.length > 0 ? { done: new Set(done) } : undefined;
  if (taken === undefined && expiry === undefined) return;
  await updateItem(database, {
    table: callbacks,
    key: { callbackKey, receipt },
    expression: `${taken ? "DELETE pending :done" : ""}${expiry ? " SET expiresAt = :keptUntil" : ""}`,
    condition: "attribute_exists(callbackKey)",
    values: { ...taken, ...expiry },
  });
}
