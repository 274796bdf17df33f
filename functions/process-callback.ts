import type { Context, SQSEvent, SQSRecord } from "aws-lambda";
import * as z from "zod/mini";
import { deliverEvent } from "../shared/delivery/deliver-event.ts";
import { watchRefusals } from "../shared/delivery/refusing-subscribers.ts";
import { createEventSender, createQueueClient } from "../shared/delivery/send-event.ts";
import { subscriberSchema } from "../shared/delivery/subscriber.ts";
import type { Fact } from "../shared/facts/fact.ts";
import { type InboxMessage, subjectOfMessage } from "../shared/inbox/inbox-message.ts";
import { loadOrder, loadPayment, retryOnContention } from "../shared/orders/aggregate-store.ts";
import { isKnownToService } from "../shared/orders/order.ts";
import { createFailingSince } from "../shared/processing/failing-since.ts";
import { createGiveBack } from "../shared/processing/give-back.ts";
import {
  type BatchAnswer,
  processBatch,
  type QueuedMessage,
} from "../shared/processing/process-batch.ts";
import {
  leaveForLater,
  type ProcessCallback,
  processCallback,
} from "../shared/processing/process-callback.ts";
import { createDeadLetters } from "../shared/processing/send-to-dead-letters.ts";
import { integerVariable, jsonVariable, readEnvironment } from "../shared/read-environment.ts";
import type { FactInPlace } from "../shared/records/plan-receipt.ts";
import { recordQuarantine, recordReceipt } from "../shared/records/record-receipt.ts";
import {
  commitRecord,
  markDelivery,
  noteTry,
  type Tables,
} from "../shared/records/record-store.ts";
import { createDatabases, type Database } from "../shared/table/database.ts";
import { createLog } from "../shared/telemetry/log-line.ts";
import {
  markMilliseconds,
  processMessageMilliseconds,
  recordMilliseconds,
} from "../shared/timing.ts";

const environmentSchema = z.object({
  CALLBACKS_TABLE: z.string(),
  ORDERS_TABLE: z.string(),
  INBOX_QUEUE_URL: z.string(),
  INBOX_DEAD_LETTERS_URL: z.string(),
  SUBSCRIBERS: jsonVariable(z.array(subscriberSchema)),
  RECORD_EXPIRY_DAYS: integerVariable,
  EVENT_SOURCE: z.string(),
  METRICS_NAMESPACE: z.string(),
});

function wire(): (event: SQSEvent, context: Context) => Promise<BatchAnswer> {
  const env = readEnvironment(environmentSchema, process.env);
  const now = Date.now;
  const log = createLog({ service: "process-callback", namespace: env.METRICS_NAMESPACE, now });
  const databaseUntil = createDatabases(now);
  const sqs = createQueueClient();
  const sendEvent = createEventSender(sqs);
  const refusals = watchRefusals(now);
  const giveBack = createGiveBack(sqs, env.INBOX_QUEUE_URL);
  const tables = { callbacks: env.CALLBACKS_TABLE, orders: env.ORDERS_TABLE };
  const settings = {
    source: env.EVENT_SOURCE,
    subscribers: env.SUBSCRIBERS,
    recordExpiryDays: env.RECORD_EXPIRY_DAYS,
    now,
  };

  const deps: ProcessCallback = {
    record: (receipt, fact) => {
      const database = databaseUntil(now() + recordMilliseconds);
      return recordReceipt(receipt, settings, {
        ...storeIn(database, tables),
        loadPlace: () => loadPlace(database, tables.orders, fact),
      });
    },
    deliver: async (record) => {
      const delivery = await deliverEvent(record, env.SUBSCRIBERS, sendEvent);
      refusals.note(delivery);
      return delivery;
    },
    mark: (record, marking) =>
      markDelivery(databaseUntil(now() + markMilliseconds), tables, record, marking),
    isHopeless: refusals.isHopeless,
    recordQuarantine: (receipt, why) => {
      const database = databaseUntil(now() + recordMilliseconds);
      return recordQuarantine(receipt, why, settings, {
        ...storeIn(database, tables),
        noteTry: noteTry.bind(undefined, database, tables),
        giveUp: (record, left) => markDelivery(database, tables, record, { delivered: [], left }),
        loadIfUnknownToService: () =>
          loadIfUnknownToService(database, tables.orders, receipt.message),
      });
    },
    sendToDeadLetters: createDeadLetters(sqs, env.INBOX_DEAD_LETTERS_URL),
    failingSince: createFailingSince(),
    now,
    log,
  };

  return (event, context) =>
    processBatch(event.Records.map(toQueued), {
      process: async (queued) => {
        const hasTime = context.getRemainingTimeInMillis() >= processMessageMilliseconds;
        return hasTime ? await processCallback(queued, deps) : leaveForLater(queued, deps);
      },
      giveBack: async (messages, why) => {
        if (await giveBack(messages, why)) return;
        log({ outcome: "visibility-kept" }, { VisibilityKept: 1 });
      },
    });
}

function storeIn(database: Database, tables: Tables) {
  return {
    commit: commitRecord.bind(undefined, database, tables),
    retryOnContention: <T>(turn: () => Promise<T | undefined>) => retryOnContention(database, turn),
  };
}

async function loadPlace(database: Database, table: string, fact: Fact): Promise<FactInPlace> {
  const { merchantId } = fact;
  if (fact.kind === "payment") {
    const aggregate = await loadOrder(database, table, merchantId, fact.orderNo);
    return { kind: "order", fact, aggregate };
  }
  const aggregate = await loadPayment(database, table, merchantId, fact.paymentId);
  return { kind: "payment", fact, aggregate };
}

async function loadIfUnknownToService(database: Database, table: string, message: InboxMessage) {
  const subject = subjectOfMessage(message);
  if (subject?.kind !== "order") return undefined;
  const order = await loadOrder(database, table, subject.merchantId, subject.orderNo);
  return isKnownToService(order) ? undefined : order;
}

function toQueued({ messageId, receiptHandle, body, attributes }: SQSRecord): QueuedMessage {
  return {
    messageId,
    receiptHandle,
    body,
    group: attributes.MessageGroupId ?? messageId,
    receiveCount: Number(attributes.ApproximateReceiveCount),
    sentAtMilliseconds: Number(attributes.SentTimestamp),
  };
}

export const handler = wire();
