import { aboutOf } from "../../../shared/attention/attention.ts";
import { groupOf } from "../../../shared/facts/subject.ts";
import { readInboxMessage } from "../../../shared/inbox/inbox-message.ts";
import { type Aggregate, loadOrder, loadPayment } from "../../../shared/orders/aggregate-store.ts";
import type { CallbackRecord } from "../../../shared/records/callback-record.ts";
import type { Target } from "../ports/target.ts";
import { groupsOf } from "../records/find-events.ts";
import { contentOfRecord, keyOf, recordsOfGroup } from "../records/read-records.ts";
import { type FoundItem, foundItem, itemId } from "./item.ts";

interface NamedOrder {
  readonly merchantId: string | undefined;
  readonly orderNo: string;
}

/**
 * All records of an order and of its payments except dismissed ones. When process-callback processes them again, they
 * restore what a table lacks after a restore to an earlier time (invariant 18).
 */
export async function findWholeOrder(
  target: Pick<Target, "stack" | "orders" | "records" | "queues">,
  { merchantId, orderNo }: NamedOrder,
): Promise<readonly FoundItem[]> {
  const groups = await groupsOf(target, { merchantId, orderNo, withRefunds: true });
  const records = await recordsOf(target, groups);
  // A restored order may have lost the ids of its payments. Answers about them have the ids.
  const further = records.flatMap(groupOfAskedPayment).filter((group) => !groups.includes(group));
  const all = [...records, ...(await recordsOf(target, [...new Set(further)]))];
  return all.filter(isNotDismissed).map((record) => foundIn(target, record) ?? asItem(record));
}

async function recordsOf(
  target: Pick<Target, "records">,
  groups: readonly string[],
): Promise<CallbackRecord[]> {
  return (await Promise.all(groups.map((group) => recordsOfGroup(target, group)))).flat();
}

function groupOfAskedPayment({ origin, message }: CallbackRecord): readonly string[] {
  if (origin !== "query") return [];
  const asked = readInboxMessage(message);
  if (asked.origin !== "query") return [];
  const { merchantId, paymentId } = asked;
  return [groupOf({ kind: "payment", merchantId, paymentId })];
}

/** Only a quarantined record states no fact. A dismissed one stays as it is. */
function isNotDismissed(record: CallbackRecord): boolean {
  return record.outcome !== "quarantined" || record.attention !== undefined;
}

/** Undefined if the record needs no attention. */
function foundIn(target: Pick<Target, "queues">, record: CallbackRecord): FoundItem | undefined {
  const needsSomebody = record.outcome !== "known-fact" && record.attention !== undefined;
  return needsSomebody ? foundItem(target, record) : undefined;
}

function asItem(record: CallbackRecord): FoundItem {
  const key = keyOf({ ...record });
  const { subject } = contentOfRecord(record);
  const about = { orderNo: undefined, paymentId: undefined, ...aboutOf(subject) };
  const type = record.outcome === "quarantined" ? undefined : record.type;
  const { merchantId, callbackId, receivedAt, recordedAt, group } = record;
  return {
    item: {
      id: itemId(key),
      kind: "finished",
      since: recordedAt,
      reason: "finished",
      type,
      merchantId,
      callbackId,
      receivedAt,
      ...about,
      detail: undefined,
      subscribers: {},
      gone: [],
    },
    key,
    attention: undefined,
    attentionShard: undefined,
    group,
    keptUntil: undefined,
  };
}

/** Whether the aggregate has the fact of a published record. For a known fact only process-callback can decide it. */
export async function hasFact(
  target: Pick<Target, "orders">,
  record: CallbackRecord,
): Promise<boolean> {
  if (record.outcome !== "published") return true;
  const aggregate = await aggregateOf(target, record);
  if (aggregate === undefined) return true;
  return aggregate.facts[record.factId] !== undefined && aggregate.sequence >= record.sequence;
}

async function aggregateOf(
  target: Pick<Target, "orders">,
  record: CallbackRecord,
): Promise<Aggregate | undefined> {
  const { subject } = contentOfRecord(record);
  if (subject === undefined) return undefined;
  const { merchantId } = subject;
  const [database, table] = [target.orders.database, target.orders.table];
  return subject.kind === "order"
    ? await loadOrder(database, table, merchantId, subject.orderNo)
    : await loadPayment(database, table, merchantId, subject.paymentId);
}
