import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { createEventSender, createQueueClient } from "../../../shared/delivery/send-events.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { createInboxSender } from "../../../shared/inbox/send-to-inbox.ts";
import { createDeadLetters } from "../../../shared/processing/send-to-dead-letters.ts";
import { createCapturedSender } from "../../../shared/receiving/capture-refused.ts";
import { localClients } from "../../../tools/operations/aws/aws-clients.ts";
import { openQueue } from "../../../tools/operations/aws/open-queue.ts";
import { createBatchSender } from "../../../tools/operations/replay/send-batch.ts";
import { testStampKey } from "../../builders/stamp.ts";
import { useSqs } from "./use-sqs.ts";

interface Entry {
  readonly Id?: string;
  readonly MessageBody: string;
  readonly MessageDeduplicationId: string;
}

/** An SQS that answers a repeat with the MD5 of the message that it took first. AWS answers with the MD5 of the new one. */
const firstBodies = new Map<string, string>();
const server = createServer(async (request, response) => {
  const input: Entry & { Entries?: Entry[] } = JSON.parse(await text(request));
  const answers = (input.Entries ?? [input]).map(({ Id, MessageBody, MessageDeduplicationId }) => {
    const first = firstBodies.get(MessageDeduplicationId) ?? MessageBody;
    firstBodies.set(MessageDeduplicationId, first);
    const MD5OfMessageBody = createHash("md5").update(first).digest("hex");
    return { Id, MessageId: "1", MD5OfMessageBody };
  });
  response.setHeader("content-type", "application/x-amz-json-1.0");
  response.end(JSON.stringify(input.Entries ? { Successful: answers, Failed: [] } : answers[0]));
});
const listening = useSqs(server);

const queueUrl = "http://queue.invalid/1/q.fifo";
const subscriber = { name: "books", types: ["*"], ordered: true, queueUrl };
const group = "group";

function operatorsClient() {
  const { endpoint } = listening();
  const local = { region: "eu-central-1", sqs: endpoint, dynamodb: "", secretsmanager: "" };
  return localClients(local);
}

/** Each sends a body under a deduplication id that only depends on the sender. */
const never = new AbortController().signal;

const senders: Record<string, (body: string) => Promise<unknown>> = {
  "the inbox": (body) =>
    createInboxSender(
      queueUrl,
      async () => testStampKey,
    )({ message: body, group, deduplicationId: "inbox" }),
  "a subscriber's queue": (event) =>
    createEventSender(createQueueClient())(
      subscriber,
      [{ event, eventId: "e", type: "t", group }],
      10_000,
    ),
  "the inbox's dead letters": (body) => {
    const message = { messageId: "m", receiptHandle: "", group, receiveCount: 1 };
    const why = new PaycastError("inbox-message-unreadable", "unreadable");
    const send = createDeadLetters(createQueueClient(), queueUrl);
    return send({ ...message, body, sentAtMilliseconds: 0 }, why);
  },
  "the captured envelopes": (body) =>
    createCapturedSender(queueUrl)({ body, group, deduplicationId: "captured" }, never),
  "a queue, by a redrive": (body) => {
    const order = { group, deduplicationId: "redriven" };
    return openQueue(operatorsClient().sqs, queueUrl).send({ body, attributes: {}, order });
  },
  "a subscriber's queue, by a replay": (event) => {
    const sent = { factId: "f", type: "t", group, event };
    const batch = createBatchSender(
      openQueue(operatorsClient().sqs, queueUrl),
      subscriber as never,
      "run",
    );
    return batch([sent as never]);
  },
};

test.each(Object.keys(senders))(
  "a repeat with another body is accepted by %s, whichever MD5 the answer has",
  async (name) => {
    await senders[name]!("first");
    await expect(senders[name]!("second")).resolves.not.toThrow();
  },
);
