import { HttpMethod, HttpNoneAuthorizer } from "aws-cdk-lib/aws-apigatewayv2";
import type { Alarm, MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { receiveTimeoutMilliseconds } from "../../shared/timing.ts";
import {
  addAlarm,
  alarmOnAny,
  alarmOnKeys,
  countUnless,
  outcomeMetric,
  shareMetric,
} from "../alarms/alarm.ts";
import { refusedAlone } from "../alarms/alarm-rules.ts";
import type { PaycastApi } from "../api/http-api.ts";
import { captureEndMilliseconds } from "../config/callback-config.ts";
import type { Config } from "../config/config-schema.ts";
import type { ReadableSecrets, StampSecret } from "../encryption/key-secrets.ts";
import { rollOutGradually } from "../lambda/gradual-rollout.ts";
import { allow, type CodeOf, PaycastFunction } from "../lambda/paycast-function.ts";
import type { Inbox } from "../storage/inbox.ts";
import { shortLivedQueue } from "../storage/queue-pair.ts";

interface CallbackIntakeProps {
  codeOf: CodeOf;
  config: Config;
  callbackKeys: ReadableSecrets;
  stampKey: StampSecret;
  inbox: Inbox;
  api: PaycastApi;
  encryptionKey: IKey | undefined;
}

/** POST /callbacks: every authentic callback goes into the inbox. */
export class CallbackIntake extends Construct {
  /** Refused envelopes, if the config asks for them. */
  readonly captured: Queue | undefined;

  constructor(scope: Construct, id: string, props: CallbackIntakeProps) {
    super(scope, id);
    const { captureUntil } = props.config.callbacks;
    this.captured =
      captureUntil === undefined
        ? undefined
        : shortLivedQueue(this, "Captured", props.encryptionKey);
    const receiver = this.receiveCallback(props);
    // Forged callbacks ring neither of the two, so a stranger needs a flood that Lambda throttles to stop a rollout.
    const alarms = [receiver.errorsAlarm, this.alarmOnNotStored()];
    const isGradual = props.config.rollout === "gradual";
    props.api.addRoute({
      method: HttpMethod.POST,
      path: "/callbacks",
      target: receiver,
      alias: isGradual ? rollOutGradually(this, receiver, alarms) : undefined,
      // The service has no credentials of ours (§5.1): its signature is the authorisation.
      authorizer: new HttpNoneAuthorizer(),
      // Far above any merchant's sales. API Gateway refuses more than this before a Lambda is paid for.
      requestsPerSecond: 500,
    });
    for (const merchantId of props.config.merchants) {
      alarmOnRefusals(this, merchantId);
      alarmOnOutdatedKeys(this, merchantId);
    }
    alarmOnKeys(this, "receive-callback");
    if (props.config.callbacks.sourceAddresses) alarmOnSources(this);
  }

  private receiveCallback(props: CallbackIntakeProps): PaycastFunction {
    const { config, callbackKeys, stampKey, inbox } = props;
    const { callbacks, concurrency } = config;
    const { sourceAddresses: sources } = callbacks;
    return new PaycastFunction(this, "ReceiveCallback", {
      name: "receive-callback",
      codeOf: props.codeOf,
      description: "Opens a payment callback and puts it in the inbox",
      timeoutMilliseconds: receiveTimeoutMilliseconds,
      reservedConcurrency: concurrency.receiveCallback,
      // More memory is for more CPU (the process needs about 50 MB). A warm call, most of it in the SDK, takes 1 to 3 ms
      // of a full core; at 0.29 of a core, about as long as the call to SQS.
      memoryMegabytes: 512,
      environment: {
        INBOX_QUEUE_URL: inbox.queue.queueUrl,
        STAMP_KEY: stampKey.id,
        CALLBACK_KEYS: callbackKeys.byMerchant,
        CALLBACK_MAX_AGE_SECONDS: String(callbacks.maxAgeHours * 3600),
        CALLBACK_MAX_AHEAD_SECONDS: String(callbacks.maxAheadSeconds),
        PREVIOUS_KEYS_SECONDS: String(callbacks.previousKeysHours * 3600),
        ...(sources && { ALLOWED_SOURCES: JSON.stringify(sources) }),
        ...this.captureVariables(callbacks.captureUntil),
      },
      // More: what every function has (lambda/paycast-function.ts), and a KMS key of yours (encryption/encrypt-with-key.ts).
      permissions: [
        allow(["sqs:SendMessage"], [inbox.queue.queueArn]),
        ...callbackKeys.permissions,
        ...stampKey.permissions,
        ...(this.captured ? [allow(["sqs:SendMessage"], [this.captured.queueArn])] : []),
      ],
    });
  }

  private captureVariables(captureUntil: string | undefined): Record<string, string> {
    if (captureUntil === undefined || this.captured === undefined) return {};
    return {
      CAPTURED_QUEUE_URL: this.captured.queueUrl,
      CAPTURE_UNTIL_MILLISECONDS: String(captureEndMilliseconds(captureUntil)),
    };
  }

  private alarmOnNotStored(): Alarm {
    return alarmOnAny(this, "NotStoredAlarm", "receive-callback", "NotStored", {
      meaning:
        "A callback was answered with 503: its merchant's keys or the stamp key cannot be read, or the inbox did not accept it.",
      action: "Set the keys, or wait for SQS; the service sends it again, up to 8 times in 7 days.",
      runbook: "callbacks-not-stored",
    });
  }
}

/** Which refusals an alarm counts, and of which merchant: without one, all callbacks. */
interface Refusals {
  readonly outcome: "NotAuthentic" | "SourceNotAllowed";
  readonly merchantId?: string;
}

/** Count only callbacks that name a configured merchant: a stranger has to know its id to ring one of them. */
function alarmOnRefusals(scope: Construct, merchantId: string): void {
  const refusals: Refusals = { outcome: "NotAuthentic", merchantId };
  const action = "Check whether the merchant's keys or wire profile changed.";
  addAlarm(scope, `RefusedAlarm-${merchantId}`, {
    metric: shareRefused(scope, refusals, `callbacks of ${merchantId} refused`),
    meaning: `A quarter or more of the callbacks of merchant ${merchantId} were refused.`,
    action,
    runbook: "callbacks-refused",
  });
  addAlarm(scope, `AllRefusedAlarm-${merchantId}`, {
    metric: countAlone(scope, refusals, `callbacks of ${merchantId} refused`),
    ...refusedAlone,
    meaning: `Three or more callbacks of merchant ${merchantId} were refused in six hours, and none was accepted.`,
    action,
    runbook: "callbacks-refused",
  });
}

/**
 * A wrong new key goes unnoticed as long as the previous one verifies. When that one ends, every callback is refused.
 * Callbacks of a quiet shop come hours apart, so a single one that the current keys verify ends the alarm.
 */
function alarmOnOutdatedKeys(scope: Construct, merchantId: string): void {
  addAlarm(scope, `OutdatedKeysAlarm-${merchantId}`, {
    metric: countUnless(scope, "VerifiedByCurrent", {
      service: "receive-callback",
      outcome: "OutdatedKeys",
      merchantId,
      label: `callbacks of ${merchantId} verified by outdated keys`,
    }),
    meaning: `In six hours, only the previous keys of merchant ${merchantId} verified callbacks, more than a day after they were replaced. When they end, all callbacks are refused.`,
    action: "Compare the current keys with those that the payment service shows.",
    runbook: "callbacks-missing",
  });
}

/** The service may get new addresses. Then all its callbacks are refused, and only a person can tell them from strangers. */
function alarmOnSources(scope: Construct): void {
  const refusals: Refusals = { outcome: "SourceNotAllowed" };
  const action = "Ask the payment service whether it calls from new addresses.";
  addAlarm(scope, "SourcesAlarm", {
    metric: shareRefused(scope, refusals, "callbacks from other addresses"),
    meaning: "Half or more of the callbacks came from addresses that the config does not allow.",
    action,
    runbook: "unlisted-addresses",
  });
  addAlarm(scope, "AllSourcesAlarm", {
    metric: countAlone(scope, refusals, "callbacks from other addresses"),
    ...refusedAlone,
    meaning:
      "Three or more callbacks in six hours came from addresses that the config does not allow, and none was accepted.",
    action,
    runbook: "unlisted-addresses",
  });
}

function shareRefused(scope: Construct, refusals: Refusals, label: string): MathExpression {
  const { outcome, ...ofMerchant } = refusals;
  const runbook = outcome === "NotAuthentic" ? "callbacks-refused" : "unlisted-addresses";
  const count = (name: string) => outcomeMetric(scope, "receive-callback", name, ofMerchant);
  return shareMetric({
    part: "FILL(refused, 0)",
    whole: "FILL(refused, 0) + FILL(accepted, 0)",
    metrics: { refused: count(outcome), accepted: count("Accepted") },
    runbook,
    label,
  });
}

function countAlone(scope: Construct, refusals: Refusals, label: string): MathExpression {
  return countUnless(scope, "Accepted", { service: "receive-callback", ...refusals, label });
}
