import {
  type DynamoDBClient,
  type TransactWriteItem,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { laneEntry } from "../fan-out/lane.ts";
import { nextAttemptAt } from "../fan-out/retry-interval.ts";
import { loadOrder } from "../orders/load-order.ts";
import { toAttribute } from "../table/attributes.ts";
import { writeTogether } from "../table/try-transaction.ts";
import { type CallbackRecord, deferredMark } from "./callback-record.ts";
import type { Tables } from "./commit-plan.ts";

/** Those who are done, and those whom deliver-pending takes over. */
export interface Handover {
  readonly done: readonly string[];
  readonly held: readonly string[];
}

/** After process-callback has sent: takes the done off the pending, and hands the rest over, in one write. */
export async function markSent(
  client: DynamoDBClient,
  tables: Tables,
  record: CallbackRecord,
  { done, held }: Handover,
  nowMilliseconds: number,
): Promise<void> {
  if (held.length === 0) {
    if (done.length === 0) return;
    await client.send(new UpdateItemCommand(takeOffPending(tables, record, done)));
    return;
  }
  const order = await loadOrder(client, tables.orders, record.orderKey);
  const handover = handOver(tables, record, { done, held }, nowMilliseconds);
  const lanes = changeLanes(tables, record, "ADD", held, order?.linkedTo);
  await writeTogether(client, [{ Update: handover }, ...lanes]);
}

/** After deliver-pending has sent to some of the held: they, and their places in the order's lanes, are done. */
export async function markCaughtUp(
  client: DynamoDBClient,
  tables: Tables,
  record: CallbackRecord,
  done: readonly string[],
  adoptedBy?: string,
): Promise<void> {
  const isLast = record.held.every((name) => done.includes(name));
  const mayExpire = isLast && record.keptUntil !== undefined;
  const update = {
    ...keyOf(tables, record),
    UpdateExpression: `DELETE pending :done, held :done${isLast ? leaveIndex : ""}${mayExpire ? expire : ""}`,
    ConditionExpression: heldAsRead,
    ...(isLast && { ExpressionAttributeNames: indexNames }),
    ExpressionAttributeValues: {
      ":done": toAttribute(new Set(done)),
      ":held": toAttribute(new Set(record.held)),
      ...(mayExpire && { ":keptUntil": toAttribute(record.keptUntil) }),
    },
  };
  const lanes = changeLanes(tables, record, "DELETE", done, adoptedBy);
  await writeTogether(client, [{ Update: update }, ...lanes]);
}

/** Somebody handed over meanwhile would be forgotten if the record left the index. */
const heldAsRead = "held = :held";
const leaveIndex = " REMOVE #deferred, nextAttemptAt";
const expire = " SET expiresAt = :keptUntil";
/** One of DynamoDB's reserved words. */
const indexNames = { "#deferred": "deferred" };

/** Sets the next try; the interval grows with each. */
export async function postpone(
  client: DynamoDBClient,
  tables: Tables,
  record: CallbackRecord,
  nowMilliseconds: number,
): Promise<void> {
  const command = new UpdateItemCommand({
    ...keyOf(tables, record),
    UpdateExpression: "SET nextAttemptAt = :next, attempts = :attempts",
    ConditionExpression: stillDeferred,
    ExpressionAttributeNames: indexNames,
    ExpressionAttributeValues: {
      ":next": toAttribute(nextAttemptAt(nowMilliseconds, record.attempts + 1)),
      ":attempts": toAttribute(record.attempts + 1),
    },
  });
  await client.send(command);
}

const stillDeferred = "attribute_exists(#deferred)";

function takeOffPending(tables: Tables, record: CallbackRecord, done: readonly string[]) {
  return {
    ...keyOf(tables, record),
    UpdateExpression: "DELETE pending :done",
    ExpressionAttributeValues: { ":done": toAttribute(new Set(done)) },
  };
}

function handOver(
  tables: Tables,
  record: CallbackRecord,
  { done, held }: Handover,
  nowMilliseconds: number,
) {
  const taking = done.length > 0 ? " DELETE pending :done" : "";
  const entering = "SET #deferred = :deferred, nextAttemptAt = :next REMOVE expiresAt";
  return {
    ...keyOf(tables, record),
    UpdateExpression: `${entering} ADD held :held${taking}`,
    ExpressionAttributeNames: indexNames,
    ExpressionAttributeValues: {
      ":deferred": toAttribute(deferredMark),
      ":next": toAttribute(nextAttemptAt(nowMilliseconds, 0)),
      ":held": toAttribute(new Set(held)),
      ...(done.length > 0 && { ":done": toAttribute(new Set(done)) }),
    },
  };
}

/** An order that has adopted the payment since it was read has its lanes too: both must tell the same. */
const notAdoptedSince = "attribute_not_exists(linkedTo)";

/** The subscribers' places in the order's lanes, and in those of the order that adopted it, if one has. */
function changeLanes(
  tables: Tables,
  record: CallbackRecord,
  verb: "ADD" | "DELETE",
  names: readonly string[],
  adoptedBy: string | undefined,
): TransactWriteItem[] {
  const entries = names.map((name) => laneEntry(name, record.sequence ?? 0));
  const lanesOf = (orderKey: string) => ({
    TableName: tables.orders,
    Key: { orderKey: { S: orderKey } },
    UpdateExpression: `${verb} behind :lanes`,
    ExpressionAttributeValues: { ":lanes": toAttribute(new Set(entries)) },
  });
  const own = lanesOf(record.orderKey);
  if (adoptedBy !== undefined) return [{ Update: own }, { Update: lanesOf(adoptedBy) }];
  return [{ Update: { ...own, ConditionExpression: notAdoptedSince } }];
}

function keyOf(tables: Tables, { callbackKey, receipt }: CallbackRecord) {
  return {
    TableName: tables.callbacks,
    Key: { callbackKey: { S: callbackKey }, receipt: { S: receipt } },
  };
}
