import type { Context, SQSEvent, SQSRecord } from "aws-lambda";
import * as z from "zod/mini";
import { deliverEvent } from "../shared/delivery/deliver-event.ts";
import type { SendEvent } from "../shared/delivery/delivery.ts";
import { createFailingSubscribers } from "../shared/delivery/failing-subscribers.ts";
import { createSendGatherer } from "../shared/delivery/gather-sends.ts";
import { createEventSender, createQueueClient } from "../shared/delivery/send-events.ts";
import { shareDeadlines } from "../shared/delivery/share-deadlines.ts";
import { listedSubscriberSchema, locateSubscribers } from "../shared/delivery/subscriber.ts";
import { createCheckingKeys } from "../shared/keys/stamp-keys.ts";
import { createFailingSince } from "../shared/processing/failing-since.ts";
import {
  type BatchResponse,
  processBatch,
  type QueuedMessage,
} from "../shared/processing/process-batch.ts";
import {
  type ProcessCallback,
  postpone,
  processCallback,
} from "../shared/processing/process-callback.ts";
import { createReturnToInbox } from "../shared/processing/return-to-inbox.ts";
import { createDeadLetters } from "../shared/processing/send-to-dead-letters.ts";
import { integerVariable, jsonVariable, readEnvironment } from "../shared/read-environment.ts";
import { loadRecord } from "../shared/records/load-record.ts";
import { recordQuarantine } from "../shared/records/record-quarantine.ts";
import { recordReceipt, reviseRecord } from "../shared/records/record-receipt.ts";
import { markDelivery, recordStore } from "../shared/records/record-store.ts";
import { createDatabases } from "../shared/table/database.ts";
import { createLog } from "../shared/telemetry/log-line.ts";
import {
  markMilliseconds,
  openMessageMilliseconds,
  processMessageMilliseconds,
  recordMilliseconds,
} from "../shared/timing.ts";

const environmentSchema = z.object({
  CALLBACKS_TABLE: z.string(),
  ORDERS_TABLE: z.string(),
  INBOX_QUEUE_URL: z.string(),
  INBOX_DEAD_LETTERS_URL: z.string(),
  STAMP_KEY: z.string(),
  SUBSCRIBERS: jsonVariable(z.array(listedSubscriberSchema)),
  RECORD_EXPIRY_DAYS: integerVariable,
  EVENT_SOURCE: z.string(),
  METRICS_NAMESPACE: z.string(),
});

function wire(): (event: SQSEvent, context: Context) => Promise<BatchResponse> {
  const env = readEnvironment(environmentSchema, process.env);
  const now = Date.now;
  const log = createLog({ service: "process-callback", namespace: env.METRICS_NAMESPACE, now });
  const databaseUntil = createDatabases(now);
  const sqs = createQueueClient();
  const sendEvents = createEventSender(sqs);
  const failingSubscribers = createFailingSubscribers(now);
  const stampKeys = createCheckingKeys({ secretId: env.STAMP_KEY, now, log });
  const failingSince = createFailingSince();
  const returnToInbox = createReturnToInbox(sqs, env.INBOX_QUEUE_URL);
  const tables = { callbacks: env.CALLBACKS_TABLE, orders: env.ORDERS_TABLE };
  const subscribers = locateSubscribers(env.SUBSCRIBERS, env.INBOX_QUEUE_URL);
  const settings = {
    source: env.EVENT_SOURCE,
    subscribers,
    recordExpiryDays: env.RECORD_EXPIRY_DAYS,
    now,
  };
  const storeForRecord = () => recordStore(databaseUntil(now() + recordMilliseconds), tables);

  const depsWith = (sendEvent: SendEvent): ProcessCallback => ({
    stampKeys,
    loadRecord: (named) =>
      loadRecord(databaseUntil(now() + openMessageMilliseconds), tables.callbacks, named),
    record: (receipt, fact) => recordReceipt(receipt, fact, settings, storeForRecord()),
    revise: (record, receipt, fact) =>
      reviseRecord(record, receipt, fact, settings, storeForRecord()),
    deliver: async (record) => {
      const delivery = await deliverEvent(record, subscribers, sendEvent);
      failingSubscribers.note(delivery);
      return delivery;
    },
    mark: (record, marking) =>
      markDelivery(databaseUntil(now() + markMilliseconds), tables, record, marking),
    isHopeless: failingSubscribers.isHopeless,
    recordQuarantine: (receipt, why) => recordQuarantine(receipt, why, settings, storeForRecord()),
    sendToDeadLetters: createDeadLetters(sqs, env.INBOX_DEAD_LETTERS_URL),
    failingSince,
    now,
    log,
  });

  return (event, context) => {
    const gatherer = createSendGatherer(sendEvents);
    const inSharedTime = shareDeadlines(failingSubscribers, now);
    return processBatch(event.Records.map(toQueued), {
      process: async (queued) => {
        const hasTime = context.getRemainingTimeInMillis() >= processMessageMilliseconds;
        if (!hasTime) return postpone(queued, { now, log });
        return await gatherer.track((send) =>
          processCallback(queued, depsWith(inSharedTime(send))),
        );
      },
      returnToInbox: async (messages, why) => {
        if (await returnToInbox(messages, why)) return;
        log(
          { outcome: "visibility-kept", stage: "inbox", reason: "visibility-unchanged" },
          { VisibilityKept: 1 },
        );
      },
    });
  };
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
