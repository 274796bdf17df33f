import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import * as z from "zod/mini";
import { warmUp } from "../shared/envelope/warm-up.ts";
import type { HttpAnswer } from "../shared/http-answer.ts";
import { createInboxSender } from "../shared/inbox/send-to-inbox.ts";
import { createKeyRing } from "../shared/keys/key-ring.ts";
import { describeKeysProblem } from "../shared/keys/keys-line.ts";
import { readCallbackKeys } from "../shared/keys/merchant-keys.ts";
import { createSecretReader } from "../shared/keys/read-secret.ts";
import { integerVariable, jsonVariable, readEnvironment } from "../shared/read-environment.ts";
import { createAfterAnswer } from "../shared/receiving/after-answer.ts";
import { allowSources } from "../shared/receiving/allowed-sources.ts";
import { createCapture } from "../shared/receiving/capture-refused.ts";
import { keepAwake } from "../shared/receiving/keep-awake.ts";
import { type ReceiveCallback, receiveCallback } from "../shared/receiving/receive-callback.ts";
import { createCapturedSender } from "../shared/receiving/send-captured.ts";
import { smokeName } from "../shared/smoke-merchant.ts";
import { createLog, type WriteLine } from "../shared/telemetry/log-line.ts";
import { currentTraceparent } from "../shared/telemetry/traceparent.ts";

const environmentSchema = z.object({
  INBOX_QUEUE_URL: z.string(),
  CALLBACK_KEYS: jsonVariable(z.record(z.string(), z.string())),
  CALLBACK_MAX_AGE_SECONDS: integerVariable,
  CALLBACK_MAX_AHEAD_SECONDS: integerVariable,
  PREVIOUS_KEYS_SECONDS: integerVariable,
  ALLOWED_SOURCES: z.optional(jsonVariable(z.array(z.string()))),
  CAPTURED_QUEUE_URL: z.optional(z.string()),
  CAPTURE_UNTIL_MILLISECONDS: z.optional(integerVariable),
  AWS_LAMBDA_RUNTIME_API: z.optional(z.string()),
  METRICS_NAMESPACE: z.string(),
});

type Environment = z.output<typeof environmentSchema>;
type Handler = (request: APIGatewayProxyEventV2, context: Context) => Promise<HttpAnswer>;

async function wire(): Promise<Handler> {
  const env = readEnvironment(environmentSchema, process.env);
  const now = Date.now;
  const log = createLog({ service: "receive-callback", namespace: env.METRICS_NAMESPACE, now });
  const keys = createKeyRing({
    secretIds: env.CALLBACK_KEYS,
    readSecret: createSecretReader(),
    parse: readCallbackKeys,
    now,
    previousLifetimeMilliseconds: env.PREVIOUS_KEYS_SECONDS * 1000,
    onProblem: (problem) => log(...describeKeysProblem(problem)),
  });
  // Smoke tests are rare, so a start does not wait for their keys.
  const merchantIds = Object.keys(env.CALLBACK_KEYS).filter((id) => id !== smokeName);
  // Not beside the fetch of the keys: that work would use up the short time for the registration.
  const capturing = await wireCapturing(env, log);
  await keys.prime(merchantIds);
  await warmUp(merchantIds, keys.keysFor);
  const deps: ReceiveCallback = {
    keys,
    sendToInbox: createInboxSender(env.INBOX_QUEUE_URL),
    now,
    maximumAgeMilliseconds: env.CALLBACK_MAX_AGE_SECONDS * 1000,
    maximumAheadMilliseconds: env.CALLBACK_MAX_AHEAD_SECONDS * 1000,
    traceparent: () => currentTraceparent(process.env["_X_AMZN_TRACE_ID"]),
    log,
    allowsSource: env.ALLOWED_SOURCES && allowSources(env.ALLOWED_SOURCES),
    capture: capturing?.capture,
  };
  return (request, { awsRequestId }) =>
    receiveCallback(request, deps).finally(() => capturing?.answered(awsRequestId));
}

/** Nothing of it is made unless the config asks for it and its end is still ahead. */
async function wireCapturing(env: Environment, log: WriteLine) {
  const { CAPTURED_QUEUE_URL, CAPTURE_UNTIL_MILLISECONDS: endsAtMilliseconds = 0 } = env;
  const now = Date.now;
  if (CAPTURED_QUEUE_URL === undefined || endsAtMilliseconds <= now()) return undefined;
  const { begin, answered, allDone } = createAfterAnswer();
  if (env.AWS_LAMBDA_RUNTIME_API) await keepAwake(env.AWS_LAMBDA_RUNTIME_API, allDone);
  const send = createCapturedSender(CAPTURED_QUEUE_URL);
  const capture = createCapture({ send, afterAnswer: begin, endsAtMilliseconds, now, log });
  return { capture, answered };
}

export const handler = await wire();
