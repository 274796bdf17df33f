import { idForLog } from "../envelope/deduplication.ts";
import { type Envelope, readEnvelope, requestBytes } from "../envelope/envelope.ts";
import { NotDecrypted } from "../envelope/not-decrypted.ts";
import {
  type CallbackKeys,
  type CallbackWindow,
  type KeyVersion,
  type OpenedCallback,
  openEnvelope,
} from "../envelope/open-callback.ts";
import { Refusal, type RefusalClass } from "../envelope/refusal.ts";
import type { HttpResponse } from "../http/http-response.ts";
import type { RequestBody } from "../http/request-body.ts";
import { callbackEntry, type SendToInbox, subjectOfCallback } from "../inbox/send-to-inbox.ts";
import type { KeyRing } from "../keys/key-ring.ts";
import { smokeName } from "../smoke-merchant.ts";
import type { LogFields, WriteLine } from "../telemetry/log-line.ts";
import type { AllowSource } from "./allowed-sources.ts";
import { describeAcceptance, describeRefusal, identify } from "./callback-line.ts";
import type { CaptureRefused } from "./capture-refused.ts";

/** The part of API Gateway's request that is used. */
interface CallbackRequest extends RequestBody {
  readonly requestContext: { readonly http: { readonly sourceIp: string } };
}

export interface ReceiveCallback {
  readonly keys: Pick<KeyRing<CallbackKeys>, "knows" | "keysFor" | "refreshAfterRefusal">;
  readonly sendToInbox: SendToInbox;
  readonly now: () => number;
  readonly maximumAgeMilliseconds: number;
  readonly maximumAheadMilliseconds: number;
  readonly traceparent: () => string;
  readonly log: WriteLine;
  /** Set if the config restricts the source addresses. */
  readonly allowsSource?: AllowSource | undefined;
  /** Set while the config asks to keep rejected envelopes. */
  readonly capture?: CaptureRefused | undefined;
}

/**
 * Opens the envelope, stores the callback in the inbox and responds. 200 always means that the callback is stored. The
 * inbox is the only AWS call of a usual callback: the keys are cached, and no table is read.
 */
export async function receiveCallback(
  request: CallbackRequest,
  deps: ReceiveCallback,
): Promise<HttpResponse> {
  const startedAt = deps.now();
  let about: Partial<LogFields> = {};
  let knownMerchant: string | undefined;
  try {
    rejectOtherSources(request, deps);
    const envelope = readEnvelope(requestBytes(request));
    // An unknown merchant id is untrusted text, so it is not logged.
    knownMerchant = deps.keys.knows(envelope.merchantId) ? envelope.merchantId : undefined;
    // Not verified yet. If the callback is rejected, this id shows which log lines belong to the same callback.
    about = { merchantId: knownMerchant, claimedCallbackId: idForLog(envelope.id) };
    const callback = await authenticate(envelope, deps);
    const subject = subjectOfCallback(callback);
    about = identify(callback, subject);
    const traceparent = deps.traceparent();
    await deps.sendToInbox(callbackEntry(callback, subject, startedAt, traceparent));
    deps.log(...describeAcceptance(callback, about, traceparent, startedAt, deps.now()));
    return acceptedResponse;
  } catch (error) {
    const failed = responseToError(error);
    deps.log(...describeRefusal(error, about, failed.statusCode, deps.now() - startedAt));
    await captureRefused(error, request, knownMerchant, startedAt, deps);
    return failed;
  }
}

/** Runs before anything in the request is read. The address is not logged. */
function rejectOtherSources({ requestContext }: CallbackRequest, deps: ReceiveCallback): void {
  if (deps.allowsSource === undefined || deps.allowsSource(requestContext.http.sourceIp)) return;
  throw new Refusal("source-not-allowed", "source-not-allowed");
}

/**
 * Opens the envelope with the cached keys. If that fails for a known merchant, the keys may have been rotated: fetches
 * them again, at most once a minute whatever the causes, and tries once more.
 */
async function authenticate(envelope: Envelope, deps: ReceiveCallback): Promise<OpenedCallback> {
  const { merchantId } = envelope;
  if (!deps.keys.knows(merchantId)) throw new Refusal("not-authentic", "unknown-merchant");
  const open = async () =>
    openEnvelope(envelope, await usableKeys(merchantId, deps), windowOf(deps));
  try {
    return await open();
  } catch (error) {
    const mayBeOldKeys = error instanceof Refusal || error instanceof NotDecrypted;
    const isRefreshed = mayBeOldKeys && (await deps.keys.refreshAfterRefusal(merchantId));
    if (!isRefreshed) throw error;
    return await open();
  }
}

/**
 * The merchant of smoke tests may have no keys between tests, and its name is public. It is then rejected like an unknown
 * merchant, because a 503 would let anyone who sends the name cause an alarm.
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
const acceptedResponse = response(200, 20000, "");

/** Not stored, so the service retries (§6). Missing keys and our own errors end here too. */
const notStoredResponse = response(503, 50300, "not stored, send it again");

/**
 * Each class of refusal has one response, including its headers, whatever the reason. A forger must not learn which check
 * failed (SECURITY.md), so only the log has the reason.
 */
const refusalResponses: Record<RefusalClass, HttpResponse> = {
  "not-an-envelope": response(400, 40000, "not a callback envelope"),
  "not-authentic": response(401, 40100, "not authentic"),
  // The sender knows its own address, so a response of its own reveals nothing.
  "source-not-allowed": response(403, 40300, "not from this address"),
  "too-large": response(413, 41300, "over 256 KiB"),
};

function responseToError(error: unknown): HttpResponse {
  return error instanceof Refusal ? refusalResponses[error.refusalClass] : notStoredResponse;
}

function response(statusCode: number, code: number, msg: string): HttpResponse {
  return {
    statusCode,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code, msg }),
  };
}

/** Captures envelopes that are not authentic. Content is kept only for configured merchants, exactly as it was sent. */
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
