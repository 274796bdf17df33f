import { Duration } from "aws-cdk-lib";
import { HttpMethod, HttpNoneAuthorizer } from "aws-cdk-lib/aws-apigatewayv2";
import { MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import { addAlarm, outcomeMetric } from "./alarm.ts";
import type { Config } from "./config.ts";
import type { PaycastApi } from "./http-api.ts";
import type { Inbox } from "./inbox.ts";
import type { KeySecrets } from "./merchant-keys.ts";
import { allow } from "./narrow-role.ts";
import { type CodeOf, PaycastFunction } from "./paycast-function.ts";

type CallbackIntakeProps = {
  codeOf: CodeOf;
  callbacks: Config["callbacks"];
  callbackKeys: KeySecrets;
  inbox: Inbox;
  api: PaycastApi;
};

/** POST /callbacks: whatever is authentic goes into the inbox. */
export class CallbackIntake extends Construct {
  constructor(scope: Construct, id: string, props: CallbackIntakeProps) {
    super(scope, id);
    props.api.addRoute({
      method: HttpMethod.POST,
      path: "/callbacks",
      target: this.receiveCallback(props),
      // The service has no credentials of ours (§5.1): its signature is the authorisation.
      authorizer: new HttpNoneAuthorizer(),
      // Far above any merchant's sales; a flood beyond it is turned away before it costs a Lambda.
      requestsPerSecond: 500,
    });
    this.alarmOnRefusals();
    this.alarmOnNotStored();
  }

  private receiveCallback(props: CallbackIntakeProps): PaycastFunction {
    const { callbacks, callbackKeys, inbox } = props;
    return new PaycastFunction(this, "ReceiveCallback", {
      name: "receive-callback",
      codeOf: props.codeOf,
      description: "Opens a payment callback and puts it in the inbox",
      // The inbox gets 3 seconds, a refresh of the keys comes before it: the answer is out well before this.
      timeout: Duration.seconds(10),
      // Memory buys CPU, not space (the process holds some 50 MB). A warm call costs 20 to 25 RSA verifications,
      // nearly all of it the SDK's: 1 to 3 ms of a full core, at 0.29 of one about the round trip to SQS.
      memoryMegabytes: 512,
      environment: {
        INBOX_QUEUE_URL: inbox.queue.queueUrl,
        CALLBACK_KEYS: callbackKeys.byMerchant,
        CALLBACK_MAX_AGE_SECONDS: String(callbacks.maxAgeHours * 3600),
        CALLBACK_MAX_AHEAD_SECONDS: String(callbacks.maxAheadSeconds),
        PREVIOUS_KEYS_SECONDS: String(callbacks.previousKeysHours * 3600),
      },
      permissions: [
        allow(["sqs:SendMessage"], [inbox.queue.queueArn]),
        allow(["secretsmanager:GetSecretValue"], callbackKeys.arns),
      ],
    });
  }

  private alarmOnRefusals(): void {
    const period = Duration.minutes(15);
    const count = (name: string) => outcomeMetric(this, "receive-callback", name, { period });
    addAlarm(this, "RefusedAlarm", {
      metric: new MathExpression({
        // Below three requests a share says nothing: one stray request would be all of them.
        expression: "IF(refused + accepted >= 3, 100 * refused / (refused + accepted), 0)",
        usingMetrics: {
          refused: new MathExpression({
            expression: "FILL(forged, 0) + FILL(malformed, 0) + FILL(large, 0)",
            usingMetrics: {
              forged: count("NotAuthentic"),
              malformed: count("NotAnEnvelope"),
              large: count("TooLarge"),
            },
            period,
          }),
          accepted: new MathExpression({
            expression: "FILL(stored, 0)",
            usingMetrics: { stored: count("Accepted") },
            period,
          }),
        },
        label: "callbacks refused, in percent",
        period,
      }),
      threshold: 25,
      meaning: "A quarter or more of what came to POST /callbacks was refused.",
      action: "See whether a merchant's keys or wire profile changed before suspecting a stranger.",
      runbook: "callbacks-refused",
    });
  }

  private alarmOnNotStored(): void {
    addAlarm(this, "NotStoredAlarm", {
      metric: outcomeMetric(this, "receive-callback", "NotStored"),
      threshold: 1,
      meaning:
        "A callback was answered with 503: its merchant's keys are unset, or the inbox did not take it.",
      action: "Set the keys, or wait for SQS; the service sends it again, up to 8 times in 7 days.",
      runbook: "callbacks-not-stored",
    });
  }
}
