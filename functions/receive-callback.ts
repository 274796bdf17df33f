import type { APIGatewayProxyEventV2 } from "aws-lambda";
import * as z from "zod/mini";
import { warmUp } from "../shared/envelope/warm-up.ts";
import type { HttpAnswer } from "../shared/http-answer.ts";
import { createInboxSender } from "../shared/inbox/send-to-inbox.ts";
import { createKeyRing } from "../shared/keys/key-ring.ts";
import { describeKeysProblem } from "../shared/keys/keys-line.ts";
import { readCallbackKeys } from "../shared/keys/merchant-keys.ts";
import { createSecretReader } from "../shared/keys/read-secret.ts";
import { integerVariable, jsonVariable, readEnvironment } from "../shared/read-environment.ts";
import { type ReceiveCallback, receiveCallback } from "../shared/receiving/receive-callback.ts";
import { createLog } from "../shared/telemetry/log-line.ts";
import { currentTraceparent } from "../shared/telemetry/traceparent.ts";

const environmentSchema = z.object({
  INBOX_QUEUE_URL: z.string(),
  CALLBACK_KEYS: jsonVariable(z.record(z.string(), z.string())),
  CALLBACK_MAX_AGE_SECONDS: integerVariable,
  CALLBACK_MAX_AHEAD_SECONDS: integerVariable,
  PREVIOUS_KEYS_SECONDS: integerVariable,
  METRICS_NAMESPACE: z.string(),
});

async function wire(): Promise<(request: APIGatewayProxyEventV2) => Promise<HttpAnswer>> {
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
