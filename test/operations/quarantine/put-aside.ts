import { randomUUID } from "node:crypto";
import {
  GetQueueAttributesCommand,
  PurgeQueueCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import type { Target } from "../../../operations/target/target.ts";
import { databaseOf } from "../../../operations/target/target-database.ts";
import { groupOf } from "../../../shared/facts/subject.ts";
import {
  type CallbackMessage,
  readInboxMessage,
  subjectOfMessage,
  writeInboxMessage,
} from "../../../shared/inbox/inbox-message.ts";
import { takeTurns } from "../../../shared/orders/aggregate-store.ts";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { createDeadLetters } from "../../../shared/processing/send-to-dead-letters.ts";
import { recordQuarantine } from "../../../shared/records/record-receipt.ts";
import { commitRecord } from "../../../shared/records/record-store.ts";
import { orderResult } from "../../builders/callback.ts";

const merchantId = "shop-1";

export interface Aside {
  readonly body: string;
  readonly group: string;
  readonly orderNo: string;
  readonly callbackId: string;
}

interface Changes {
  readonly orderNo?: string;
  readonly eventName?: string;
  readonly text?: string;
  readonly bytes?: Buffer;
  readonly receivedAt?: number;
  readonly merchantId?: string;
}

/** An inbox message as receive-callback writes it; by default one that is understood. */
export function callback(changes: Changes = {}): Aside {
  const { orderNo = `ORDER-${randomUUID()}`, eventName = "payment.order.success" } = changes;
  const id = randomUUID();
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
    deduplication: { key: id, replayable: false },
    keyVersion: "v1",
    receivedAtMilliseconds: changes.receivedAt ?? Date.now(),
    traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01`,
  };
  const body = writeInboxMessage(message);
  const subject = subjectOfMessage(readInboxMessage(body));
  const group = groupOf(subject ?? { kind: "order", merchantId: merchant, orderNo });
  return { body, group, orderNo, callbackId: id };
}

export function operator(target: () => Target) {
  const deadLettersUrl = () => target().inbox.deadLettersUrl;
  const send = (QueueUrl: string, { body, group }: Pick<Aside, "body" | "group">) =>
    target().clients.sqs.send(
      new SendMessageCommand({
        QueueUrl,
        MessageBody: body,
        MessageGroupId: group,
        MessageDeduplicationId: randomUUID(),
      }),
    );
  const why = new PaycastError("result-unreadable", "The status is unknown.");
  return {
    toInbox: (aside: Aside) => send(target().inbox.url, aside),
    /** As SQS itself puts it there: without a reason, and without a record. */
    toDeadLetters: (aside: Pick<Aside, "body" | "group">) => send(deadLettersUrl(), aside),
    /** As process-callback leaves it. Today's code understands it: the cause is fixed. */
    record: async ({ body, group }: Aside, nowMilliseconds = Date.now()) => {
      const database = databaseOf(target());
      const message = readInboxMessage(body);
      await recordQuarantine({ message, body, group }, why, nowMilliseconds, {
        commit: (record, aggregate) => commitRecord(database, target().tables, record, aggregate),
        takeTurns: (turn) => takeTurns(database, turn),
        loadUntold: async () => undefined,
      });
    },
    letter: (aside: Aside, reason = why) => {
      const queued = { messageId: randomUUID(), receiptHandle: "", receiveCount: 1 };
      const { body, group } = aside;
      const message = { ...queued, sentAtMilliseconds: 0, body, group };
      return createDeadLetters(target().clients.sqs, deadLettersUrl())(message, reason);
    },
    letterCount: () => countOf(target(), deadLettersUrl()),
    purge: (QueueUrl = deadLettersUrl()) =>
      target().clients.sqs.send(new PurgeQueueCommand({ QueueUrl })),
  };
}

/** Messages that everybody can receive, and those that somebody holds. */
export async function countOf({ clients }: Target, QueueUrl: string) {
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
  const { Attributes = {} } = await clients.sqs.send(command);
  return {
    visible: Number(Attributes.ApproximateNumberOfMessages),
    held: Number(Attributes.ApproximateNumberOfMessagesNotVisible),
  };
}
