import { HttpMethod, HttpNoneAuthorizer } from "aws-cdk-lib/aws-apigatewayv2";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { receiveTimeoutMilliseconds } from "../../shared/timing.ts";
import type { PaycastApi } from "../api/http-api.ts";
import { captureEndMilliseconds } from "../config/callback-config.ts";
import type { Config } from "../config/config-schema.ts";
import type { ReadableSecrets, StampSecret } from "../encryption/key-secrets.ts";
import { rollOutGradually } from "../lambda/gradual-rollout.ts";
import { allow, type CodeOf, PaycastFunction } from "../lambda/paycast-function.ts";
import type { Inbox } from "../storage/inbox.ts";
import { shortLivedQueue } from "../storage/queue-pair.ts";
import { addIntakeAlarms } from "./intake-alarms.ts";

interface CallbackIntakeProps {
  codeOf: CodeOf;
  config: Config;
  callbackKeys: ReadableSecrets;
  stampKey: StampSecret;
  inbox: Inbox;
  api: PaycastApi;
  encryptionKey: IKey | undefined;
}

/** POST /callbacks: stores every authentic callback in the inbox. */
export class CallbackIntake extends Construct {
  /** The queue of rejected envelopes, if the config asks for them. */
  readonly captured: Queue | undefined;

  constructor(scope: Construct, id: string, props: CallbackIntakeProps) {
    super(scope, id);
    const { captureUntil } = props.config.callbacks;
    this.captured =
      captureUntil === undefined
        ? undefined
        : shortLivedQueue(this, "Captured", props.encryptionKey);
    const receiver = this.receiveCallback(props);
    const isGradual = props.config.rollout === "gradual";
    props.api.addRoute({
      method: HttpMethod.POST,
      path: "/callbacks",
      target: receiver,
      alias: isGradual ? rollOutGradually(this, receiver) : undefined,
      // The service has no AWS credentials (§5.1): its signature is the authorization.
      authorizer: new HttpNoneAuthorizer(),
      // Far above any merchant's sales. API Gateway rejects requests beyond it before a Lambda is paid for.
      requestsPerSecond: 500,
    });
    addIntakeAlarms(this, props.config, props.api);
  }

  private receiveCallback(props: CallbackIntakeProps): PaycastFunction {
    const { config, callbackKeys, stampKey, inbox } = props;
    const { callbacks, concurrency } = config;
    const { sourceAddresses: sources } = callbacks;
    return new PaycastFunction(this, "ReceiveCallback", {
      name: "receive-callback",
      codeOf: props.codeOf,
      description: "Authenticates a payment callback and stores it in the inbox",
      timeoutMilliseconds: receiveTimeoutMilliseconds,
      reservedConcurrency: concurrency.receiveCallback,
      // The memory is for CPU (the process needs about 50 MB). A warm call, mostly in the SDK, takes 1 to 3 ms of a
      // full core; with 0.29 of a core, about as long as the call to SQS.
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
      // In addition to what every function has (lambda/paycast-function.ts) and a customer's KMS key
      // (encryption/encrypt-with-key.ts).
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
}
