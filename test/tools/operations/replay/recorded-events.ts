import { BatchWriteItemCommand, DeleteItemCommand } from "@aws-sdk/client-dynamodb";
import { testEvent } from "../../../../shared/consumer/test-events.ts";
import type { EventType } from "../../../../shared/facts/event-types.ts";
import { groupOf, type Subject } from "../../../../shared/facts/subject.ts";
import { toAsciiJson } from "../../../../shared/json/ascii-json.ts";
import type { PublishedRecord } from "../../../../shared/records/callback-record.ts";
import { hourBucket, shardOf } from "../../../../shared/records/time-bucket.ts";
import { sha256Of } from "../../../../shared/sha256.ts";
import { toAttributes } from "../../../../shared/table/attributes.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import { planReplay } from "../../../../tools/operations/replay/plan-replay.ts";
import type { Selection } from "../../../../tools/operations/replay/selection.ts";
import { drain } from "../../../integration/aws-stores.ts";
import type { TestTarget } from "../test-target.ts";

export interface Recorded {
  readonly orderNo: string;
  readonly sequence?: number;
  readonly recordedAt: string;
  readonly type?: EventType;
  readonly merchantId?: string;
  readonly pending?: readonly string[];
  /** For a refund, instead of the order. */
  readonly paymentId?: string;
}

/** A record as process-callback writes it. */
export function recordOf({ orderNo, sequence = 1, recordedAt, ...rest }: Recorded) {
  const { type = "payment.order.success", merchantId = "shop-1", pending = [] } = rest;
  const { paymentId } = rest;
  const subject: Subject =
    paymentId === undefined
      ? { kind: "order", merchantId, orderNo }
      : { kind: "payment", merchantId, paymentId };
  const group = groupOf(subject);
  const factId = sha256Of(group, String(sequence));
  const about = { merchantId, orderNo, sequence, ...(paymentId !== undefined && { paymentId }) };
  const event = toAsciiJson({ ...testEvent(type, about), id: factId, partitionkey: group });
  return {
    callbackKey: `${merchantId}#callback#${factId}`,
    receipt: "first",
    origin: "callback" as const,
    merchantId,
    message: "{}",
    contentHash: factId,
    group,
    receivedAt: recordedAt,
    recordedAt,
    flags: [],
    factId,
    type,
    outcome: "published" as const,
    event,
    sequence,
    timeBucket: hourBucket(recordedAt, shardOf(group)),
    recipients: [...pending],
    pending: [...pending],
    delivered: {},
  };
}

export async function record(target: Target, ...events: Recorded[]) {
  const records = events.map(recordOf);
  for (let from = 0; from < records.length; from += 25) {
    const puts = records.slice(from, from + 25).map((candidate) => ({
      PutRequest: { Item: toAttributes({ ...candidate, pending: new Set(candidate.pending) }) },
    }));
    const RequestItems = { [target.records.table]: puts };
    await target.records.database.client.send(new BatchWriteItemCommand({ RequestItems }));
  }
  return records;
}

export async function forget(target: Target, { callbackKey, receipt }: PublishedRecord) {
  const Key = toAttributes({ callbackKey, receipt });
  const TableName = target.records.table;
  await target.records.database.client.send(new DeleteItemCommand({ TableName, Key }));
}

/** What a subscriber finds in its queue. */
export async function received({ target, clients }: TestTarget, name: string) {
  const { queueUrl } = target().queues.subscribers.find((subscriber) => subscriber.name === name)!;
  const messages = await drain(clients().sqs, queueUrl);
  return messages.map(({ Body = "", MessageAttributes = {}, Attributes = {} }) => ({
    body: Body,
    event: JSON.parse(Body),
    type: MessageAttributes["type"]?.StringValue,
    replay: MessageAttributes["replay"]?.StringValue,
    group: Attributes["MessageGroupId"],
    deduplicationId: Attributes["MessageDeduplicationId"],
  }));
}

let days = 0;

/**
 * A day of 2026 for a test alone: its events are found by their time, and no other test has any there. `since` and
 * `until` are two hours of it, and not all, because each hour that is read costs eight queries.
 */
export function ownDay() {
  days += 1;
  const date = new Date(Date.UTC(2026, 0, days)).toISOString().slice(0, 10);
  const at = (time: string) => `${date}T${time}Z`;
  return { at, since: at("09:00:00.000"), until: at("10:59:59.999") };
}

/** Times so far apart, the first at half past nine of that day. */
export function timesOf(
  { at }: ReturnType<typeof ownDay>,
  count: number,
  apartMilliseconds: number,
) {
  const first = Date.parse(at("09:30:00.000"));
  return Array.from({ length: count }, (_item, index) =>
    new Date(first + index * apartMilliseconds).toISOString(),
  );
}

export function selecting(fields: Partial<Selection> = {}): Selection {
  return { withRefunds: true, types: [], until: new Date().toISOString(), ...fields };
}

export const unwatched = {
  stopped: new AbortController().signal,
  tell: () => {},
};

export async function plan(target: Target, to: string, fields: Partial<Selection> = {}) {
  return await planReplay(target, to, selecting(fields), unwatched);
}

/** So many events in two hours of their own, and the options that select them. */
export async function recordedDay(
  target: Target,
  count: number,
  orderNo = (index: number) => `order ${index}`,
) {
  const day = ownDay();
  const events = timesOf(day, count, 10_000).map((recordedAt, index) => ({
    orderNo: orderNo(index),
    sequence: index + 1,
    recordedAt,
  }));
  const records = await record(target, ...events);
  return { records, range: ["--since", day.since, "--until", day.until] };
}
