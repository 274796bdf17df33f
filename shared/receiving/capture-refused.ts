import { hash } from "node:crypto";
import { toAsciiJson } from "../ascii-json.ts";
import { requestBytes } from "../envelope/envelope.ts";
import type { RefusalReason } from "../envelope/refusal.ts";
import type { RequestBody } from "../request-body.ts";
import { sha256Of } from "../sha256.ts";
import { errorFields, type WriteLine } from "../telemetry/log-line.ts";
import { deduplicationMilliseconds } from "../timing.ts";
import type { CapturedMessage } from "./captured-message.ts";
import type { SendCaptured } from "./send-captured.ts";

/** A readable envelope that is not authentic. */
export interface RefusedEnvelope {
  readonly request: RequestBody;
  readonly sourceAddress: string;
  readonly merchantId: string;
  readonly reason: RefusalReason;
  readonly receivedAtMilliseconds: number;
}

export type CaptureRefused = (refused: RefusedEnvelope) => void;

export interface CaptureOptions {
  readonly send: SendCaptured;
  /** Does the work when the answer is out. */
  readonly afterAnswer: (work: () => Promise<void>) => void;
  readonly endsAtMilliseconds: number;
  readonly now: () => number;
  readonly log: WriteLine;
}

/** Of one merchant, reason and sender, within five minutes: enough to compare, and too few to crowd out the others. */
const mostAlike = 3;
const mostRemembered = 200 * mostAlike;

/**
 * Captures refused envelopes until the end. All the work is done after the answer, so that it takes the same time for
 * each reason.
 */
export function createCapture(options: CaptureOptions): CaptureRefused {
  const seen = createSeen(options.now);
  return (refused) => {
    if (refused.receivedAtMilliseconds >= options.endsAtMilliseconds) return;
    options.afterAnswer(() => capture(refused, seen, options));
  };
}

async function capture(
  refused: RefusedEnvelope,
  seen: Seen,
  { send, log }: CaptureOptions,
): Promise<void> {
  const { merchantId, reason, sourceAddress, receivedAtMilliseconds } = refused;
  const body = requestBytes(refused.request);
  const group = sha256Of(merchantId, reason, sourceAddress);
  const deduplicationId = sha256Of(group, placeOf(body));
  if (!seen.isNew(deduplicationId)) return;
  const message: CapturedMessage = {
    version: 1,
    merchantId,
    reason,
    receivedAtMilliseconds,
    body: body.toString(),
  };
  try {
    await send({ body: toAsciiJson(message), group, deduplicationId });
    log({ outcome: "captured" }, { Captured: 1 });
  } catch (error) {
    seen.forget(deduplicationId);
    log({ outcome: "not-captured", ...errorFields(error) }, { Captured: 0 });
  }
}

/** One of three places. SQS takes one message for each place in five minutes, whichever instance sends it. */
function placeOf(body: Uint8Array): string {
  return String(Number.parseInt(hash("sha256", body).slice(0, 8), 16) % mostAlike);
}

interface Seen {
  /** Whether the id is new in the last five minutes. */
  readonly isNew: (id: string) => boolean;
  readonly forget: (id: string) => void;
}

/**
 * SQS would drop the repeats of an id anyway; remembering them saves the calls. If there are too many different ids, no
 * more are new until the oldest are forgotten.
 */
function createSeen(now: () => number): Seen {
  const seenAt = new Map<string, number>();
  const isNew = (id: string) => {
    for (const [old, milliseconds] of seenAt) {
      if (Math.abs(now() - milliseconds) < deduplicationMilliseconds) break;
      seenAt.delete(old);
    }
    if (seenAt.has(id) || seenAt.size >= mostRemembered) return false;
    seenAt.set(id, now());
    return true;
  };
  return { isNew, forget: (id) => void seenAt.delete(id) };
}
