import { hash, type KeyObject } from "node:crypto";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { attemptLimits, leanSettings, withoutLogger } from "../aws-client.ts";
import type { KeyVersion, OpenedCallback } from "../envelope/open-callback.ts";
import { PaycastError } from "../errors/paycast-error.ts";
import { withExactSubject } from "../facts/exact-fields.ts";
import { groupOf, groupWithoutSubject, type Subject, subjectOf } from "../facts/subject.ts";
import { queueTooSlow, tryInTime } from "../in-time.ts";
import { sha256Of } from "../sha256.ts";
import { inboxSendMilliseconds } from "../timing.ts";
import { writeStamped } from "./inbox-body.ts";
import { contentHash, type QueryMessage, writeInboxMessage } from "./inbox-message.ts";

interface InboxEntry {
  /** The text that is stamped and that the record stores. */
  readonly message: string;
  readonly group: string;
  readonly deduplicationId: string;
}

export type SendToInbox = (entry: InboxEntry) => Promise<void>;

/**
 * Three attempts and their pauses fit before the deadline. MD5 checks are off: a repeat has another body under the same
 * deduplication id, and if SQS returned the MD5 of the first body, the check would turn each repeat into a 503. TLS
 * protects the bytes.
 */
function createInboxClient(): SQSClient {
  return withoutLogger(
    new SQSClient({
      useQueueUrlAsEndpoint: false,
      md5: false,
      ...leanSettings,
      requestHandler: attemptLimits(850),
    }),
  );
}

/**
 * Stamps the message and returns only when the queue has accepted it. Throws what `currentKey` throws, or
 * `inbox-unavailable` at the deadline at the latest.
 */
export function createInboxSender(
  queueUrl: string,
  currentKey: () => Promise<KeyVersion<KeyObject>>,
  client = createInboxClient(),
): SendToInbox {
  return async ({ message, group, deduplicationId }) => {
    const send = async () => {
      const MessageBody = writeStamped(await currentKey(), group, message);
      const ids = { MessageGroupId: group, MessageDeduplicationId: deduplicationId };
      await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody, ...ids }));
    };
    try {
      await tryInTime(inboxSendMilliseconds, queueTooSlow, send);
    } catch (error) {
      if (error instanceof PaycastError) throw error;
      throw new PaycastError("inbox-unavailable", "The inbox did not accept the message.", {
        retryable: true,
        cause: error,
      });
    }
  };
}

/** The aggregate that a callback is about, if its content names one. */
export function subjectOfCallback(callback: OpenedCallback): Subject | undefined {
  const { merchantId, eventName, content } = callback;
  if (content.kind !== "text") return undefined;
  return subjectOf(merchantId, eventName, withExactSubject(content.result, content.text));
}

/** The inbox entry of an authentic callback. If it names no aggregate, it gets a group of its own. */
export function callbackEntry(
  callback: OpenedCallback,
  subject: Subject | undefined,
  receivedAtMilliseconds: number,
  traceparent: string,
): InboxEntry {
  const { merchantId, deduplication } = callback;
  return {
    message: writeInboxMessage({
      origin: "callback",
      merchantId,
      callbackId: callback.id,
      eventName: callback.eventName,
      sentAtMilliseconds: callback.sentAtMilliseconds,
      content: callback.content,
      deduplication,
      keyVersion: callback.verifiedBy.versionId,
      receivedAtMilliseconds,
      traceparent,
    }),
    group: subject ? groupOf(subject) : groupWithoutSubject(merchantId, deduplication.key),
    deduplicationId: deduplicationIdOf(callback),
  };
}

/**
 * A repeat of a callback has the same deduplication id, and SQS drops it for five minutes, so a replay cannot fill the
 * inbox. If any signed field that is used differs, it is a different message.
 */
function deduplicationIdOf(callback: OpenedCallback): string {
  const { merchantId, deduplication, eventName = "", content } = callback;
  const id = JSON.stringify([merchantId, deduplication.key, eventName]);
  return hash("sha256", `${id}${content.kind === "text" ? content.text : contentHash(content)}`);
}

/** A query and its result. */
export interface Asked {
  readonly merchantId: string;
  readonly orderNo: string;
  readonly paymentId: string;
  readonly answer: object;
  readonly receivedAtMilliseconds: number;
  readonly traceparent: string;
}

/**
 * A query's result goes through the inbox like a callback. The same result again is a duplicate. Throws
 * `result-unreadable` if the result cannot be written as JSON.
 */
export function queryMessageOf({ answer, ...asked }: Asked): QueryMessage {
  const text = writeAnswer(answer);
  const key = sha256Of(asked.merchantId, asked.orderNo, asked.paymentId, text);
  return {
    ...asked,
    origin: "query",
    content: { kind: "text", text, result: answer },
    deduplication: { key, replayable: false },
  };
}

/** JSON.parse reads any depth, but JSON.stringify does not write it. */
function writeAnswer(answer: object): string {
  try {
    return JSON.stringify(answer);
  } catch (cause) {
    throw new PaycastError("result-unreadable", "The response is nested too deeply.", { cause });
  }
}

export function queryEntry(message: QueryMessage): InboxEntry {
  const { merchantId, orderNo, deduplication } = message;
  return {
    message: writeInboxMessage(message),
    group: groupOf({ kind: "order", merchantId, orderNo }),
    deduplicationId: sha256Of("query", deduplication.key),
  };
}
