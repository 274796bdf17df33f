import { randomUUID } from "node:crypto";
import { GetSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { PurgeQueueCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import type { AttentionKind } from "../../../../shared/attention/attention-kinds.ts";
import { PaycastError } from "../../../../shared/errors/paycast-error.ts";
import { readFact } from "../../../../shared/facts/read-fact.ts";
import { groupOf } from "../../../../shared/facts/subject.ts";
import { writeStamped } from "../../../../shared/inbox/inbox-body.ts";
import {
  type CallbackMessage,
  readInboxMessage,
  subjectOfMessage,
  writeInboxMessage,
} from "../../../../shared/inbox/inbox-message.ts";
import { readStampKey } from "../../../../shared/keys/stamp-keys.ts";
import { recordQuarantine } from "../../../../shared/records/record-quarantine.ts";
import { recordReceipt } from "../../../../shared/records/record-receipt.ts";
import { markDelivery, recordStore } from "../../../../shared/records/record-store.ts";
import { toRfc3339 } from "../../../../shared/time/timestamp.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import { orderResult } from "../../../builders/callback.ts";
import type { TestTarget } from "../test-target.ts";

const merchantId = "shop-1";

export interface Aside {
  readonly body: string;
  readonly group: string;
  readonly orderNo: string;
  readonly callbackId: string;
}

interface Changes {
  readonly orderNo?: string;
  readonly callbackId?: string;
  readonly eventName?: string;
  readonly text?: string;
  readonly bytes?: Buffer;
  readonly receivedAt?: number;
  readonly merchantId?: string;
  /** The version of the keys that verified it. */
  readonly keyVersion?: string | undefined;
  /** Its id is not signed, so only its record stops a replay. */
  readonly replayable?: boolean;
}

/** An inbox message as receive-callback writes it; by default one that is understood. */
export function callback(changes: Changes = {}): Aside {
  const { orderNo = `ORDER-${randomUUID()}`, eventName = "payment.order.success" } = changes;
  const { callbackId: id = randomUUID() } = changes;
  const merchant = changes.merchantId ?? merchantId;
  const result = orderResult({
    merchantId: merchant,
    referOrderNo: orderNo,
    transactionId: `TX-${id}`,
  });
  const text = changes.text ?? JSON.stringify(result);
  const message: CallbackMessage = {
    origin: "callback",
    merchantId: merchant,
    callbackId: id,
    eventName,
    sentAtMilliseconds: Date.now(),
    content: changes.bytes
      ? { kind: "not-utf-8", bytes: changes.bytes }
      : { kind: "text", text, result: undefined },
    deduplication: { key: id, replayable: changes.replayable ?? false },
    keyVersion: changes.keyVersion ?? "v1",
    receivedAtMilliseconds: changes.receivedAt ?? Date.now(),
    traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01`,
  };
  const body = writeInboxMessage(message);
  const subject = subjectOfMessage(readInboxMessage(body));
  const group = groupOf(subject ?? { kind: "order", merchantId: merchant, orderNo });
  return { body, group, orderNo, callbackId: id };
}

interface MissedHow {
  readonly kind?: Exclude<AttentionKind, "quarantined">;
  readonly now?: number;
}

/** Puts into a stack what needs a person, by the product's own functions. */
export function operator({ target, clients }: TestTarget) {
  const deadLettersUrl = () => target().queues.inbox.deadLettersUrl;
  const send = (QueueUrl: string, { body, group }: Pick<Aside, "body" | "group">) =>
    clients().sqs.send(
      new SendMessageCommand({
        QueueUrl,
        MessageBody: body,
        MessageGroupId: group,
        MessageDeduplicationId: randomUUID(),
      }),
    );
  /** As our functions stamp it. */
  const stampedFor = async ({ body, group }: Pick<Aside, "body" | "group">) => {
    const { stampKey: SecretId } = target().keys;
    const command = new GetSecretValueCommand({ SecretId });
    const { VersionId = "", SecretString = "" } = await clients().secretsManager.send(command);
    const keys = readStampKey({ text: SecretString });
    return { body: writeStamped({ versionId: VersionId, keys }, group, body), group };
  };
  const why = new PaycastError("result-unreadable", "The status is unknown.");
  const storeOf = () => {
    const { orders, records } = target();
    const { database } = records;
    const tables = { callbacks: records.table, orders: orders.table };
    return { database, tables, ...recordStore(database, tables) };
  };
  return {
    stampedFor,
    toInbox: async (aside: Aside) => send(target().queues.inbox.url, await stampedFor(aside)),
    /** As SQS itself puts it there: without a reason, and without a record. */
    toDeadLetters: async (aside: Pick<Aside, "body" | "group">) =>
      send(deadLettersUrl(), await stampedFor(aside)),
    /** What a stranger puts there, or what SQS moved there from a foreign queue. */
    foreignToInbox: (aside: Pick<Aside, "body" | "group">) =>
      send(target().queues.inbox.url, aside),
    /** As process-callback leaves what it does not understand. Today's code understands it: the cause is fixed. */
    record: async ({ body, group }: Aside, now = Date.now()) => {
      const message = readInboxMessage(body);
      const expiry = { recordExpiryDays, now: () => now };
      await recordQuarantine({ message, body, group }, why, expiry, storeOf());
    },
    /** As process-callback leaves an event that the queues of these subscribers refuse. */
    missed: async (aside: Aside, names: readonly string[], how: MissedHow = {}) => {
      const { kind = "undeliverable", now = Date.now() } = how;
      const store = storeOf();
      const record = await publish(aside, names, now, store);
      const errors = names.map((name) => [name, "QueueDoesNotExist"]);
      const subscribers = Object.fromEntries(errors);
      const attention = { kind, subscribers, orderNo: aside.orderNo };
      const remaining = { attention, since: toRfc3339(now) };
      await markDelivery(store.database, store.tables, record, {
        delivered: [],
        at: remaining.since,
        remaining,
      });
    },
    /** As it is when an instance that was late marked the last delivery, and its message was deleted already. */
    leftBehind: async (aside: Aside, name: string) => {
      const store = storeOf();
      const { database, tables } = store;
      const record = await publish(aside, [name], Date.now(), store);
      const since = toRfc3339(Date.now());
      const note = (delivered: readonly string[], late: string) => {
        const attention = {
          kind: "undeliverable" as const,
          subscribers: { [late]: "AccessDenied" },
        };
        return markDelivery(database, tables, record, {
          delivered,
          at: since,
          remaining: { attention, since },
        });
      };
      await note([], name);
      await note([name], "delivered-meanwhile");
    },
    /** As it is when somebody purged the inbox before the first try. */
    untried: async (aside: Aside, names: readonly string[], now: number) =>
      await publish(aside, names, now, storeOf()),
    letterCount: () => countOf(target(), deadLettersUrl()),
    purge: (QueueUrl = deadLettersUrl()) => clients().sqs.send(new PurgeQueueCommand({ QueueUrl })),
  };

  async function publish(
    { body, group }: Aside,
    names: readonly string[],
    now: number,
    store: ReturnType<typeof storeOf>,
  ) {
    const message = readInboxMessage(body);
    const fact = readFact(message);
    if (fact === undefined) throw new Error("the callback states no fact");
    const wants = { types: ["*"], queueUrl: "", ordered: true };
    const settings = {
      source: "test",
      recordExpiryDays,
      now: () => now,
      subscribers: names.map((name) => ({ name, ...wants })),
    };
    const { record } = await recordReceipt({ message, body, group }, fact, settings, store);
    if (record.outcome !== "published") throw new Error("the fact was known");
    return record;
  }
}

/** The default of the config. */
const recordExpiryDays = 90;

/** Messages that everybody can receive, and those that somebody holds. */
export async function countOf({ queues }: Pick<Target, "queues">, url: string) {
  const { waiting, inFlight } = await queues.open(url).count();
  return { visible: waiting, held: inFlight };
}
