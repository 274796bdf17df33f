import { hash } from "node:crypto";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { requestBytes } from "../envelope/envelope.ts";
import type { RefusalReason } from "../errors/error-codes.ts";
import type { RequestBody } from "../http/request-body.ts";
import { inTime, queueTooSlow } from "../in-time.ts";
import { toAsciiJson } from "../json/ascii-json.ts";
import { sha256Of } from "../sha256.ts";
import { errorFields, type WriteLine } from "../telemetry/log-line.ts";
import { captureMilliseconds } from "../timing.ts";
import { type CapturedMessage, nobody } from "./captured-message.ts";

/** A readable envelope that is not authentic. */
export interface RefusedEnvelope {
  readonly request: RequestBody;
  readonly sourceAddress: string;
  /** Undefined if the content is not kept: the merchant is unknown or belongs to smoke tests. */
  readonly merchantId: string | undefined;
  readonly reason: RefusalReason;
  readonly receivedAtMilliseconds: number;
}

/** Takes at most `captureMilliseconds` and never throws. */
export type CaptureRefused = (refused: RefusedEnvelope) => Promise<void>;

interface CaptureOptions {
  readonly send: SendCaptured;
  readonly endsAtMilliseconds: number;
  readonly log: WriteLine;
}

/**
 * The limit for one merchant, reason and sender within five minutes: enough to compare, too few to crowd out other
 * senders.
 */
const mostAlike = 3;

/**
 * Captures rejected envelopes until the configured end. The response waits for the send, so every refusal sends a
 * message. If a repeat or an unknown merchant sent none, the response time would reveal it. SQS drops the repeats.
 */
export function createCapture({ send, endsAtMilliseconds, log }: CaptureOptions): CaptureRefused {
  return async (refused) => {
    if (refused.receivedAtMilliseconds >= endsAtMilliseconds) return;
    const isKept = refused.merchantId !== undefined;
    try {
      await inTime(captureMilliseconds, queueTooSlow, (limit) => send(entryOf(refused), limit));
      if (isKept) log({ outcome: "captured" }, { Captured: 1 });
    } catch (error) {
      if (isKept)
        log({ outcome: "not-captured", ...notKept, ...errorFields(error) }, { Captured: 0 });
    }
  };
}

const notKept = { stage: "inbox", reason: "capture-unavailable" } as const;

/**
 * If the content is not kept, the message has blanks of the same escaped size, because the time of a send depends on
 * the size. Both cases do the same work: the text is escaped and hashed even if it is not kept.
 */
function entryOf(refused: RefusedEnvelope): CapturedEntry {
  const { merchantId = nobody, reason, sourceAddress, receivedAtMilliseconds } = refused;
  const bytes = requestBytes(refused.request);
  const text = toAsciiJson(bytes.toString());
  const blanks = `"${" ".repeat(text.length - 2)}"`;
  const kept = sha256Of(merchantId, reason, sourceAddress);
  const keptSlot = sha256Of(kept, slotOf(bytes));
  const message: Omit<CapturedMessage, "body"> = {
    version: 1,
    merchantId,
    reason,
    receivedAtMilliseconds,
  };
  const fields = toAsciiJson(message).slice(0, -1);
  const isKept = refused.merchantId !== undefined;
  return {
    body: `${fields},"body":${isKept ? text : blanks}}`,
    group: isKept ? kept : nobodysGroup,
    deduplicationId: isKept ? keptSlot : nobodysGroup,
  };
}

const nobodysGroup = sha256Of(nobody);

/**
 * Maps a body to one of three slots. SQS accepts one message per slot within five minutes, from all instances together.
 */
function slotOf(body: Uint8Array): string {
  return String(Number.parseInt(hash("sha256", body).slice(0, 8), 16) % mostAlike);
}

export interface CapturedEntry {
  readonly body: string;
  readonly group: string;
  readonly deduplicationId: string;
}

export type SendCaptured = (entry: CapturedEntry, limit: AbortSignal) => Promise<void>;

/**
 * Uses its own client, so that a slow queue takes no connection from the inbox. The second attempt is for a kept-alive
 * connection that has ended; the limit covers both attempts. MD5 checks are off, as for the inbox.
 */
export function createCapturedSender(queueUrl: string): SendCaptured {
  const client = new SQSClient({ useQueueUrlAsEndpoint: false, md5: false, maxAttempts: 2 });
  return async ({ body, group, deduplicationId }, limit) => {
    const command = new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: body,
      MessageGroupId: group,
      MessageDeduplicationId: deduplicationId,
    });
    await client.send(command, { abortSignal: limit });
  };
}
