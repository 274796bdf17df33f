import type { APIGatewayProxyEventV2 } from "aws-lambda";
import * as z from "zod/mini";
import {
  acceptedAnswer,
  answerToError,
  type CallbackAnswer,
} from "../shared/envelope/callback-answer.ts";
import { type Envelope, readEnvelope, requestBytes } from "../shared/envelope/envelope.ts";
import {
  type CallbackKeys,
  type CallbackWindow,
  type OpenedCallback,
  openEnvelope,
} from "../shared/envelope/open-callback.ts";
import { Refusal } from "../shared/envelope/refusal.ts";
import { warmUp } from "../shared/envelope/warm-up.ts";
import { callbackEntry } from "../shared/inbox/callback-entry.ts";
import { createInboxSender, type SendToInbox } from "../shared/inbox/send-to-inbox.ts";
import { createKeyRing, type KeyRing } from "../shared/keys/key-ring.ts";
import { readCallbackKeys } from "../shared/keys/merchant-keys.ts";
import { createSecretReader } from "../shared/keys/read-secret.ts";
import { integerVariable, jsonVariable, readEnvironment } from "../shared/read-environment.ts";
import { describeAcceptance, describeRefusal } from "../shared/telemetry/callback-line.ts";
import { createLog, type WriteLine } from "../shared/telemetry/log-line.ts";
import { currentTraceparent } from "../shared/telemetry/traceparent.ts";

interface ReceiveCallback {
  readonly keys: KeyRing<CallbackKeys>;
  readonly sendToInbox: SendToInbox;
  readonly now: () => number;
  readonly maximumAgeMilliseconds: number;
  readonly maximumAheadMilliseconds: number;
  readonly traceparent: () => string;
  readonly log: WriteLine;
}

type HttpRequest = Pick<APIGatewayProxyEventV2, "body" | "isBase64Encoded">;

/** Opens the envelope, stores it in the inbox, answers. 200 means stored and nothing less. */
export async function receiveCallback(
  request: HttpRequest,
  deps: ReceiveCallback,
): Promise<CallbackAnswer> {
  const startedAt = deps.now();
  let merchantId: string | undefined;
  try {
    const envelope = readEnvelope(requestBytes(request.body, request.isBase64Encoded));
    merchantId = deps.keys.knows(envelope.merchantId) ? envelope.merchantId : undefined;
    const callback = await authenticate(envelope, deps);
    const traceparent = deps.traceparent();
    await deps.sendToInbox(callbackEntry(callback, startedAt, traceparent));
    deps.log(...describeAcceptance(callback, traceparent, deps.now() - startedAt));
    return acceptedAnswer;
  } catch (error) {
    const answer = answerToError(error);
    deps.log(...describeRefusal(error, merchantId, answer.statusCode, deps.now() - startedAt));
    return answer;
  }
}

/**
 * Any refusal of a known merchant may mean that its keys have changed, and so may a body that verifies and cannot
 * be read: once a minute that is looked up.
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

const environmentSchema = z.object({
  INBOX_QUEUE_URL: z.string(),
  CALLBACK_KEYS: jsonVariable(z.record(z.string(), z.string())),
  CALLBACK_MAX_AGE_SECONDS: integerVariable,
  CALLBACK_MAX_AHEAD_SECONDS: integerVariable,
  PREVIOUS_KEYS_SECONDS: integerVariable,
  METRICS_NAMESPACE: z.string(),
});

async function wire(): Promise<(request: HttpRequest) => Promise<CallbackAnswer>> {
  const env = readEnvironment(environmentSchema, process.env);
  const now = Date.now;
  const log = createLog({ service: "receive-callback", namespace: env.METRICS_NAMESPACE, now });
  const keys = createKeyRing({
    secretIds: env.CALLBACK_KEYS,
    readSecret: createSecretReader(),
    parse: readCallbackKeys,
    now,
    previousLifetimeMilliseconds: env.PREVIOUS_KEYS_SECONDS * 1000,
    onProblem: ({ merchantId, code, message }) =>
      log({ outcome: "keys-problem", merchantId, reason: code, detail: message }),
  });
  await keys.prime();
  await warmUp(Object.keys(env.CALLBACK_KEYS), keys.keysFor);
  const deps: ReceiveCallback = {
    keys,
    sendToInbox: createInboxSender(env.INBOX_QUEUE_URL),
    now,
    maximumAgeMilliseconds: env.CALLBACK_MAX_AGE_SECONDS * 1000,
    maximumAheadMilliseconds: env.CALLBACK_MAX_AHEAD_SECONDS * 1000,
    traceparent: () => currentTraceparent(process.env["_X_AMZN_TRACE_ID"]),
    log,
  };
  return (request) => receiveCallback(request, deps);
}

export const handler = await wire();
