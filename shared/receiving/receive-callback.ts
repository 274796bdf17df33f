import { idForLog } from "../envelope/deduplication.ts";
import { type Envelope, readEnvelope, requestBytes } from "../envelope/envelope.ts";
import {
  type CallbackKeys,
  type CallbackWindow,
  type KeyVersion,
  type OpenedCallback,
  openEnvelope,
} from "../envelope/open-callback.ts";
import { Refusal, type RefusalClass } from "../envelope/refusal.ts";
import type { HttpAnswer } from "../http-answer.ts";
import { callbackEntry, type SendToInbox, subjectOfCallback } from "../inbox/send-to-inbox.ts";
import type { KeyRing } from "../keys/key-ring.ts";
import type { RequestBody } from "../request-body.ts";
import { smokeName } from "../smoke-merchant.ts";
import type { LogFields, WriteLine } from "../telemetry/log-line.ts";
import type { AllowSource } from "./allowed-sources.ts";
import { describeAcceptance, describeRefusal, identify } from "./callback-line.ts";
import type { CaptureRefused } from "./capture-refused.ts";

/** What API Gateway gives of a request. */
interface CallbackRequest extends RequestBody {
  readonly requestContext: { readonly http: { readonly sourceIp: string } };
}

export interface ReceiveCallback {
  readonly keys: KeyRing<CallbackKeys>;
  readonly sendToInbox: SendToInbox;
  readonly now: () => number;
  readonly maximumAgeMilliseconds: number;
  readonly maximumAheadMilliseconds: number;
  readonly traceparent: () => string;
  readonly log: WriteLine;
  /** Only if the config lists addresses. */
  readonly allowsSource?: AllowSource | undefined;
  /** Only while the config asks for it. */
  readonly capture?: CaptureRefused | undefined;
}

/** Opens the envelope, stores it in the inbox, answers. 200 always means that it is stored. */
export async function receiveCallback(
  request: CallbackRequest,
  deps: ReceiveCallback,
): Promise<HttpAnswer> {
  const startedAt = deps.now();
  let about: Partial<LogFields> = {};
  let knownMerchant: string | undefined;
  try {
    refuseOtherSources(request, deps);
    const envelope = readEnvelope(requestBytes(request));
    // An unknown merchant id is untrusted input, so it is not logged.
    knownMerchant = deps.keys.knows(envelope.merchantId) ? envelope.merchantId : undefined;
    // It shows which refusals belong to one callback.
    about = { merchantId: knownMerchant, claimedCallbackId: idForLog(envelope.id) };
    const callback = await authenticate(envelope, deps);
    const subject = subjectOfCallback(callback);
    about = identify(callback, subject);
    const traceparent = deps.traceparent();
    await deps.sendToInbox(callbackEntry(callback, subject, startedAt, traceparent));
    deps.log(...describeAcceptance(callback, about, traceparent, startedAt, deps.now()));
    return acceptedAnswer;
  } catch (error) {
    const answer = answerToError(error);
    deps.log(...describeRefusal(error, about, answer.statusCode, deps.now() - startedAt));
    await captureRefused(error, request, knownMerchant, startedAt, deps);
    return answer;
  }
}

/** Before anything of the request is read. The address is not logged. */
function refuseOtherSources({ requestContext }: CallbackRequest, deps: ReceiveCallback): void {
  if (deps.allowsSource === undefined || deps.allowsSource(requestContext.http.sourceIp)) return;
  throw new Refusal("source-not-allowed", "source-not-allowed");
}

/** Only envelopes of configured merchants are kept, exactly as they came. */
async function captureRefused(
  error: unknown,
  request: CallbackRequest,
  knownMerchant: string | undefined,
  receivedAtMilliseconds: number,
  { capture }: ReceiveCallback,
): Promise<void> {
  if (!(error instanceof Refusal) || error.refusalClass !== "not-authentic") return;
  const { reason } = error;
  const { sourceIp: sourceAddress } = request.requestContext.http;
  const merchantId = knownMerchant === smokeName ? undefined : knownMerchant;
  await capture?.({ request, sourceAddress, merchantId, reason, receivedAtMilliseconds });
}

/**
 * A refusal for a known merchant may mean that its keys have changed, and so may a body that verifies but cannot be
 * read. So the keys are fetched again, at most once a minute.
 */
async function authenticate(envelope: Envelope, deps: ReceiveCallback): Promise<OpenedCallback> {
  const { merchantId } = envelope;
  if (!deps.keys.knows(merchantId)) throw new Refusal("not-authentic", "unknown-merchant");
  const open = async () =>
    openEnvelope(envelope, await usableKeys(merchantId, deps), windowOf(deps));
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

/**
 * Between smoke tests their merchant may have no keys, and its name is public. Then it is refused like an unknown
 * merchant, so that a stranger who sends the name causes no alarm and learns nothing.
 */
async function usableKeys(
  merchantId: string,
  { keys }: ReceiveCallback,
): Promise<readonly KeyVersion<CallbackKeys>[]> {
  try {
    return await keys.keysFor(merchantId);
  } catch (error) {
    if (merchantId !== smokeName) throw error;
    throw new Refusal("not-authentic", "unknown-merchant");
  }
}

function windowOf(deps: ReceiveCallback): CallbackWindow {
  const { maximumAgeMilliseconds, maximumAheadMilliseconds } = deps;
  return { nowMilliseconds: deps.now(), maximumAgeMilliseconds, maximumAheadMilliseconds };
}

/** Stored (§4.4). */
const acceptedAnswer = answer(200, 20000, "");

/** Not stored: the service sends it again (§6). Also for missing keys and for our own errors. */
const notStoredAnswer = answer(503, 50300, "not stored, send it again");

/**
 * One answer for each class of refusal, headers included, whatever the reason: a forger must not learn from the answer
 * which check failed (SECURITY.md). The reason is only in the log.
 */
const refusalAnswers: Record<RefusalClass, HttpAnswer> = {
  "not-an-envelope": answer(400, 40000, "not a callback envelope"),
  "not-authentic": answer(401, 40100, "not authentic"),
  // The sender knows its own address, so this may differ from the answer to what is not authentic.
  "source-not-allowed": answer(403, 40300, "not from this address"),
  "too-large": answer(413, 41300, "over 256 KiB"),
};

function answerToError(error: unknown): HttpAnswer {
  return error instanceof Refusal ? refusalAnswers[error.refusalClass] : notStoredAnswer;
}

function answer(statusCode: number, code: number, msg: string): HttpAnswer {
  return {
    statusCode,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code, msg }),
  };
}
