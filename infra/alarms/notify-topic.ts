import { Annotations, Stack } from "aws-cdk-lib";
import type { Alarm } from "aws-cdk-lib/aws-cloudwatch";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";

/** The topic gets a message when an alarm starts, and another one when it is over. */
export function notifyTopic(alarms: readonly Alarm[], topicArn: string): void {
  const action = { bind: () => ({ alarmActionArn: topicArn }) };
  for (const alarm of alarms) {
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
}

/** An alarm whose message the topic, or the topic's key, refuses would start unheard. */
export function letAlarmsPublish(scope: Construct, topic: ITopic): void {
  const principals = [new ServicePrincipal("cloudwatch.amazonaws.com")];
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals,
      actions: ["sns:Publish"],
      resources: [topic.topicArn],
      conditions: { StringEquals: { "aws:SourceAccount": Stack.of(scope).account } },
    }),
  );
  const actions = ["kms:GenerateDataKey*", "kms:Decrypt"];
  const added = topic.masterKey?.addToResourcePolicy(
    new PolicyStatement({ principals, actions, resources: ["*"] }),
  );
  if (added?.statementAdded === false) warnOfTopicKey(scope, actions);
}

function warnOfTopicKey(scope: Construct, actions: readonly string[]): void {
  Annotations.of(scope).addWarningV2(
    "paycast:topicKeyPolicy",
    "The policy of the KMS key of alarmTopic cannot be changed here. It must let cloudwatch.amazonaws.com use " +
      `${actions.join(" and ")}, or nobody hears of an alarm.`,
  );
}
