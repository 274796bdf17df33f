import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
} from "@aws-sdk/client-sqs";
import { createEventSender } from "../../../shared/delivery/send-events.ts";
import { locateSubscribers } from "../../../shared/delivery/subscriber.ts";
import { createSecretReader } from "../../../shared/keys/read-secret.ts";
import { createCheckingKeys } from "../../../shared/keys/stamp-keys.ts";
import { processBatch, type QueuedMessage } from "../../../shared/processing/process-batch.ts";
import {
  type ProcessCallback,
  processCallback,
} from "../../../shared/processing/process-callback.ts";
import { createReturnToInbox } from "../../../shared/processing/return-to-inbox.ts";
import { createDeadLetters } from "../../../shared/processing/send-to-dead-letters.ts";
import type { WriteLine } from "../../../shared/telemetry/log-line.ts";
import { subscriberSendMilliseconds } from "../../../shared/timing.ts";
import { type AwsClients, localClients } from "../../../tools/operations/aws/aws-clients.ts";
import { openTables } from "../../../tools/operations/aws/open-tables.ts";
import type { LocalDescription } from "../../../tools/operations/local-stack/local-description.ts";
import { wireProcessing } from "../../builders/product.ts";

/** Runs process-callback in this process on whatever comes into the inbox, until it is stopped. */
export function processInbox(description: LocalDescription, log: WriteLine) {
  const clients = localClients({ region: description.region, ...description.aws });
  const deps = wireOn(description, clients, log);
  const { inbox } = description.queues;
  const returnToInbox = createReturnToInbox(clients.sqs, inbox);
  const stop = new AbortController();
  const receive = new ReceiveMessageCommand({
    QueueUrl: inbox,
    MaxNumberOfMessages: 10,
    WaitTimeSeconds: 20,
    MessageSystemAttributeNames: ["All"],
  });

  const processOnce = async () => {
    const { Messages = [] } = await clients.sqs.send(receive, { abortSignal: stop.signal });
    if (Messages.length === 0) return;
    const { batchItemFailures } = await processBatch(Messages.map(toQueued), {
      process: (queued) => processCallback(queued, deps),
      returnToInbox: async (messages, why) => void (await returnToInbox(messages, why)),
    });
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    const Entries = Messages.filter(({ MessageId }) => !failed.has(MessageId!)).map(
      ({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }),
    );
    if (Entries.length === 0) return;
    await clients.sqs.send(new DeleteMessageBatchCommand({ QueueUrl: inbox, Entries }));
  };

  const processAll = async () => {
    while (!stop.signal.aborted) await processOnce();
  };
  const processing = processAll().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  return {
    /** Fails if the processing did. */
    stop: async () => {
      stop.abort();
      await processing.finally(clients.destroy);
    },
  };
}

function wireOn(
  { functions, queues, tables }: LocalDescription,
  { dynamodb, sqs, secretsManager }: AwsClients,
  log: WriteLine,
): ProcessCallback {
  const now = Date.now;
  const { environment } = functions["process-callback"]!;
  const listed = JSON.parse(environment["SUBSCRIBERS"]!);
  const sendEvents = createEventSender(sqs);
  const wired = wireProcessing({
    database: openTables(dynamodb),
    tables,
    source: environment["EVENT_SOURCE"]!,
    subscribers: locateSubscribers(listed, queues.inbox),
    send: async (to, event) => {
      const result = (await sendEvents(to, [event], subscriberSendMilliseconds)).get(event);
      if (result !== "accepted") throw result;
    },
    now,
    log,
  });
  const readSecret = createSecretReader(secretsManager);
  return {
    ...wired,
    stampKeys: createCheckingKeys({ secretId: environment["STAMP_KEY"]!, now, log, readSecret }),
    sendToDeadLetters: createDeadLetters(sqs, queues.inboxDeadLetters),
  };
}

function toQueued({ MessageId, ReceiptHandle, Body, Attributes }: Message): QueuedMessage {
  return {
    messageId: MessageId!,
    receiptHandle: ReceiptHandle!,
    body: Body!,
    group: Attributes!["MessageGroupId"]!,
    receiveCount: Number(Attributes!["ApproximateReceiveCount"]),
    sentAtMilliseconds: Number(Attributes!["SentTimestamp"]),
  };
}
