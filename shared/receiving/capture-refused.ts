import { hash } from "node:crypto";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { toAsciiJson } from "../ascii-json.ts";
import { requestBytes } from "../envelope/envelope.ts";
import type { RefusalReason } from "../envelope/refusal.ts";
import { inTime, queueTooSlow } from "../in-time.ts";
import type { RequestBody } from "../request-body.ts";
import { sha256Of } from "../sha256.ts";
import { errorFields, type WriteLine } from "../telemetry/log-line.ts";
import { captureMilliseconds } from "../timing.ts";
import { type CapturedMessage, nobody } from "./captured-message.ts";

/** A readable envelope that is not authentic. */
export interface RefusedEnvelope {
  readonly request: RequestBody;
  readonly sourceAddress: string;
  /** Undefined if the envelope names no merchant whose envelopes are kept. */
  readonly merchantId: string | undefined;
  readonly reason: RefusalReason;
  readonly receivedAtMilliseconds: number;
}

/** Takes at most `captureMilliseconds`, and never throws. */
export type CaptureRefused = (refused: RefusedEnvelope) => Promise<void>;

interface CaptureOptions {
  readonly send: SendCaptured;
  readonly endsAtMilliseconds: number;
  readonly log: WriteLine;
}

/** Of one merchant, reason and sender, within five minutes: enough to compare, and too few to crowd out the others. */
const mostAlike = 3;

/**
 * Captures refused envelopes until the end. The answer waits for the send, so each refusal makes one: if some were left
 * out (a repeat, an unknown merchant), the time of the answer would tell which. SQS drops the repeats.
 */
export function createCapture({ send, endsAtMilliseconds, log }: CaptureOptions): CaptureRefused {
  return async (refused) => {
    if (refused.receivedAtMilliseconds >= endsAtMilliseconds) return;
    const isKept = refused.merchantId !== undefined;
    try {
      await inTime(captureMilliseconds, queueTooSlow, (limit) => send(entryOf(refused), limit));
      if (isKept) log({ outcome: "captured" }, { Captured: 1 });
    } catch (error) {
      if (isKept) log({ outcome: "not-captured", ...errorFields(error) }, { Captured: 0 });
    }
  };
}

/**
 * Nothing of a stranger's envelope is kept but its escaped size, because the time of a send depends on it. The work is
 * the same for all envelopes: what is not kept is escaped and hashed as well.
 */
function entryOf(refused: RefusedEnvelope): CapturedEntry {
  const { merchantId = nobody, reason, sourceAddress, receivedAtMilliseconds } = refused;
  const bytes = requestBytes(refused.request);
  const text = toAsciiJson(bytes.toString());
  const blanks = `"${" ".repeat(text.length - 2)}"`;
  const kept = sha256Of(merchantId, reason, sourceAddress);
  const keptPlace = sha256Of(kept, placeOf(bytes));
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
    deduplicationId: isKept ? keptPlace : nobodysGroup,
  };
}

const nobodysGroup = sha256Of(nobody);

/** One of three places. SQS takes one message for each place in five minutes, whichever instance sends it. */
function placeOf(body: Uint8Array): string {
  return String(Number.parseInt(hash("sha256", body).slice(0, 8), 16) % mostAlike);
}

export interface CapturedEntry {
  readonly body: string;
  readonly group: string;
  readonly deduplicationId: string;
}

export type SendCaptured = (entry: CapturedEntry, limit: AbortSignal) => Promise<void>;

/**
 * Has its own client, so that a queue that hangs takes no connection from the inbox. A second attempt makes good
 * a kept connection that has ended; the limit is over both. No check of MD5s, as for the inbox.
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
