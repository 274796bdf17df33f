import type { APIGatewayProxyEventV2 } from "aws-lambda";
import * as z from "zod/mini";
import { warmUp } from "../shared/envelope/warm-up.ts";
import type { HttpResponse } from "../shared/http/http-response.ts";
import { createInboxSender } from "../shared/inbox/send-to-inbox.ts";
import { createKeyRing } from "../shared/keys/key-ring.ts";
import { readCallbackKeys } from "../shared/keys/keys-in-secret.ts";
import { describeKeysProblem } from "../shared/keys/keys-line.ts";
import { createSecretReader } from "../shared/keys/read-secret.ts";
import { createSenderKey } from "../shared/keys/stamp-keys.ts";
import { integerVariable, jsonVariable, readEnvironment } from "../shared/read-environment.ts";
import { allowSources } from "../shared/receiving/allowed-sources.ts";
import {
  type CaptureRefused,
  createCapture,
  createCapturedSender,
} from "../shared/receiving/capture-refused.ts";
import { type ReceiveCallback, receiveCallback } from "../shared/receiving/receive-callback.ts";
import { smokeName } from "../shared/smoke-merchant.ts";
import { createLog, currentTraceparent, type WriteLine } from "../shared/telemetry/log-line.ts";

const environmentSchema = z.object({
  INBOX_QUEUE_URL: z.string(),
  STAMP_KEY: z.string(),
  CALLBACK_KEYS: jsonVariable(z.record(z.string(), z.string())),
  CALLBACK_MAX_AGE_SECONDS: integerVariable,
  CALLBACK_MAX_AHEAD_SECONDS: integerVariable,
  PREVIOUS_KEYS_SECONDS: integerVariable,
  ALLOWED_SOURCES: z.optional(jsonVariable(z.array(z.string()))),
  CAPTURED_QUEUE_URL: z.optional(z.string()),
  CAPTURE_UNTIL_MILLISECONDS: z.optional(integerVariable),
  METRICS_NAMESPACE: z.string(),
});

type Environment = z.output<typeof environmentSchema>;
type Handler = (request: APIGatewayProxyEventV2) => Promise<HttpResponse>;

async function wire(): Promise<Handler> {
  const env = readEnvironment(environmentSchema, process.env);
  const now = Date.now;
  const log = createLog({ service: "receive-callback", namespace: env.METRICS_NAMESPACE, now });
  const readSecret = createSecretReader();
  const stampKey = createSenderKey({ secretId: env.STAMP_KEY, now, log, readSecret });
  const keys = createKeyRing({
    secretIds: env.CALLBACK_KEYS,
    readSecret,
    parse: readCallbackKeys,
    now,
    previousLifetimeMilliseconds: env.PREVIOUS_KEYS_SECONDS * 1000,
    onProblem: (problem) => log(...describeKeysProblem(problem, now())),
  });
  // Smoke tests are rare, so a cold start does not wait for their keys.
  const merchantIds = Object.keys(env.CALLBACK_KEYS).filter((id) => id !== smokeName);
  await Promise.all([keys.prime(merchantIds), stampKey.prime()]);
  await warmUp(merchantIds, keys.keysFor);
  const deps: ReceiveCallback = {
    keys,
    sendToInbox: createInboxSender(env.INBOX_QUEUE_URL, stampKey.current),
    now,
    maximumAgeMilliseconds: env.CALLBACK_MAX_AGE_SECONDS * 1000,
    maximumAheadMilliseconds: env.CALLBACK_MAX_AHEAD_SECONDS * 1000,
    traceparent: () => currentTraceparent(process.env["_X_AMZN_TRACE_ID"]),
    log,
    allowsSource: env.ALLOWED_SOURCES && allowSources(env.ALLOWED_SOURCES),
    capture: wireCapture(env, log),
  };
  return (request) => receiveCallback(request, deps);
}

/** Creates no client unless the config asks for it and the end time is in the future. */
function wireCapture(env: Environment, log: WriteLine): CaptureRefused | undefined {
  const { CAPTURED_QUEUE_URL, CAPTURE_UNTIL_MILLISECONDS: endsAtMilliseconds = 0 } = env;
  if (CAPTURED_QUEUE_URL === undefined || endsAtMilliseconds <= Date.now()) return undefined;
  return createCapture({ send: createCapturedSender(CAPTURED_QUEUE_URL), endsAtMilliseconds, log });
}

export const handler = await wire();
