import type { Context, SQSEvent, SQSRecord } from "aws-lambda";
import * as z from "zod/mini";
import { type FanOut, fanOutEvent } from "../shared/fan-out/fan-out-event.ts";
import { createEventSender, createSubscriberClient } from "../shared/fan-out/send-event.ts";
import { type Subscriber, subscriberSchema } from "../shared/fan-out/subscriber.ts";
import { readInboxMessage } from "../shared/inbox/inbox-message.ts";
import {
  type BatchAnswer,
  processBatch,
  type QueuedMessage,
} from "../shared/inbox/process-batch.ts";
import { createQuarantine, type QuarantineMessage } from "../shared/inbox/quarantine-message.ts";
import { loadOrderOf } from "../shared/orders/load-order.ts";
import { readFact } from "../shared/orders/read-fact.ts";
import { PaycastError } from "../shared/paycast-error.ts";
import { integerVariable, jsonVariable, readEnvironment } from "../shared/read-environment.ts";
import type { CallbackRecord } from "../shared/records/callback-record.ts";
import { commitPlan } from "../shared/records/commit-plan.ts";
import { type Handover, markSent } from "../shared/records/mark-delivery.ts";
import type { ReceiptSettings } from "../shared/records/plan-receipt.ts";
import { type ReceiptStore, recordReceipt } from "../shared/records/record-receipt.ts";
import { createDynamoDbClient } from "../shared/table/dynamodb-client.ts";
import { createLog, errorFields, type WriteLine } from "../shared/telemetry/log-line.ts";
import { describeProcessing } from "../shared/telemetry/processing-line.ts";

interface ProcessCallback {
  readonly settings: ReceiptSettings;
  readonly store: ReceiptStore;
  readonly fanOut: (record: CallbackRecord, names: readonly string[]) => Promise<FanOut>;
  readonly markSent: (record: CallbackRecord, handover: Handover) => Promise<void>;
  readonly quarantine: QuarantineMessage;
  readonly now: () => number;
  readonly log: WriteLine;
}

/** Takes one message from the inbox to the subscribers. True when it is done with; false keeps it in the inbox. */
export async function processCallback(
  queued: QueuedMessage,
  deps: ProcessCallback,
): Promise<boolean> {
  const startedAt = deps.now();
  try {
    const message = readInboxMessage(queued.body);
    const fact = readFact(message);
    if (fact === undefined) {
      deps.log({ outcome: "no-fact", messageId: queued.messageId }, { NoFact: 1 });
      return true;
    }
    const receipt = await recordReceipt(
      { message, fact, group: queued.group },
      deps.settings,
      deps.store,
    );
    const fanOut = await deliver(receipt.record, deps);
    deps.log(...describeProcessing(receipt, fanOut, queued.messageId, deps.now() - startedAt));
    return true;
  } catch (error) {
    return await setAside(queued, error, deps);
  }
}

/** What stays undelivered after its short tries is handed to deliver-pending, and the message is done. */
async function deliver(record: CallbackRecord, deps: ProcessCallback): Promise<FanOut> {
  const names = record.pending.filter((name) => !record.held.includes(name));
  const fanOut = await deps.fanOut(record, names);
  const { delivered, failed, gone } = fanOut;
  await deps.markSent(record, { done: delivered, held: [...failed, ...gone] });
  return fanOut;
}

/** An error that no retry mends is a message for a person; any other leaves the message where it is. */
async function setAside(
  queued: QueuedMessage,
  error: unknown,
  deps: ProcessCallback,
): Promise<boolean> {
  const { messageId } = queued;
  if (!(error instanceof PaycastError) || error.retryable) {
    deps.log({ outcome: "failed", messageId, ...errorFields(error) }, { Failed: 1 });
    return false;
  }
  try {
    await deps.quarantine(queued, error);
    const { code: reason, message: detail } = error;
    deps.log({ outcome: "quarantined", messageId, reason, detail }, { Quarantined: 1 });
    return true;
  } catch (failure) {
    deps.log({ outcome: "failed", messageId, ...errorFields(failure) }, { Failed: 1 });
    return false;
  }
}

const environmentSchema = z.object({
  CALLBACKS_TABLE: z.string(),
  ORDERS_TABLE: z.string(),
  INBOX_DEAD_LETTERS_URL: z.string(),
  SUBSCRIBERS: jsonVariable(z.array(subscriberSchema)),
  RECORD_EXPIRY_DAYS: integerVariable,
  EVENT_SOURCE: z.string(),
  METRICS_NAMESPACE: z.string(),
});

/** A message begun with less than this left would be cut off in the middle. */
const enoughMilliseconds = 12_000;

function wire(): (event: SQSEvent, context: Context) => Promise<BatchAnswer> {
  const env = readEnvironment(environmentSchema, process.env);
  const now = Date.now;
  const dynamodb = createDynamoDbClient();
  const sqs = createSubscriberClient();
  const sendEvent = createEventSender(sqs);
  const tables = { callbacks: env.CALLBACKS_TABLE, orders: env.ORDERS_TABLE };
  const subscribers: readonly Subscriber[] = env.SUBSCRIBERS;
  const deps: ProcessCallback = {
    settings: {
      source: env.EVENT_SOURCE,
      subscribers,
      recordExpiryDays: env.RECORD_EXPIRY_DAYS,
      now,
    },
    store: {
      loadOrderOf: (fact) => loadOrderOf(dynamodb, tables.orders, fact),
      commitPlan: (plan) => commitPlan(dynamodb, tables, plan),
    },
    fanOut: (record, names) => fanOutEvent(record, names, subscribers, sendEvent),
    markSent: (record, handover) => markSent(dynamodb, tables, record, handover, now()),
    quarantine: createQuarantine(sqs, env.INBOX_DEAD_LETTERS_URL),
    now,
    log: createLog({ service: "process-callback", namespace: env.METRICS_NAMESPACE, now }),
  };
  return (event, context) =>
    processBatch(event.Records.map(toQueued), async (queued) => {
      if (context.getRemainingTimeInMillis() < enoughMilliseconds) return false;
      return await processCallback(queued, deps);
    });
}

function toQueued({ messageId, body, attributes }: SQSRecord): QueuedMessage {
  return { messageId, body, group: attributes.MessageGroupId ?? messageId };
}

export const handler = wire();
