import { type Envelope, readEnvelope, requestBytes } from "../envelope/envelope.ts";
import {
  type CallbackKeys,
  type CallbackWindow,
  type OpenedCallback,
  openEnvelope,
} from "../envelope/open-callback.ts";
import { Refusal } from "../envelope/refusal.ts";
import type { HttpAnswer } from "../http-answer.ts";
import { callbackEntry, subjectOfCallback } from "../inbox/callback-entry.ts";
import type { SendToInbox } from "../inbox/send-to-inbox.ts";
import type { KeyRing } from "../keys/key-ring.ts";
import type { RequestBody } from "../request-body.ts";
import type { LogFields, WriteLine } from "../telemetry/log-line.ts";
import { acceptedAnswer, answerToError } from "./callback-answer.ts";
import { describeAcceptance, describeRefusal, identify } from "./callback-line.ts";

export interface ReceiveCallback {
  readonly keys: KeyRing<CallbackKeys>;
  readonly sendToInbox: SendToInbox;
  readonly now: () => number;
  readonly maximumAgeMilliseconds: number;
  readonly maximumAheadMilliseconds: number;
  readonly traceparent: () => string;
  readonly log: WriteLine;
}

/** Opens the envelope, stores it in the inbox, answers. 200 always means that it is stored. */
export async function receiveCallback(
  request: RequestBody,
  deps: ReceiveCallback,
): Promise<HttpAnswer> {
  const startedAt = deps.now();
  let about: Partial<LogFields> = {};
  try {
    const envelope = readEnvelope(requestBytes(request));
    const { merchantId } = envelope;
    // An unknown merchant id is untrusted input, so it is not logged.
    about = deps.keys.knows(merchantId) ? { merchantId } : {};
    const callback = await authenticate(envelope, deps);
    const subject = subjectOfCallback(callback);
    about = identify(callback, subject);
    const traceparent = deps.traceparent();
    await deps.sendToInbox(callbackEntry(callback, subject, startedAt, traceparent));
    deps.log(...describeAcceptance(callback, about, traceparent, deps.now() - startedAt));
    return acceptedAnswer;
  } catch (error) {
    const answer = answerToError(error);
    deps.log(...describeRefusal(error, about, answer.statusCode, deps.now() - startedAt));
    return answer;
  }
}

/**
 * A refusal for a known merchant may mean that its keys have changed, and so may a body that verifies but cannot be
 * read. So the keys are fetched again, at most once a minute.
 */
async function authenticate(envelope: Envelope, deps: ReceiveCallback): Promise<OpenedCallback> {
  const { merchantId } = envelope;
  if (!deps.keys.knows(merchantId)) throw new Refusal("not-authentic", "unknown-merchant");
  const open = async () =>
    openEnvelope(envelope, await deps.keys.keysFor(merchantId), windowOf(deps));
  try {
    const opened = await open();
    if (opened.content.kind === "text") return opened;
    return (await deps.keys.refreshAfterRefusal(merchantId)) ? await open() : opened;
  } catch (error) {
    const lookedUp = error instanceof Refusal && (await deps.keys.refreshAfterRefusal(merchantId));
    if (!lookedUp) throw error;
    return await open();
  }
}

function windowOf(deps: ReceiveCallback): CallbackWindow {
  const { maximumAgeMilliseconds, maximumAheadMilliseconds } = deps;
  return { nowMilliseconds: deps.now(), maximumAgeMilliseconds, maximumAheadMilliseconds };
}
