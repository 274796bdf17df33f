import { Annotations, Stack } from "aws-cdk-lib";
import type { Alarm } from "aws-cdk-lib/aws-cloudwatch";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { type ITopic, Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import type { Construct } from "constructs";
import type { Config } from "../config/config-schema.ts";
import type { PaycastProps } from "../config/paycast-props.ts";
import type { Severity } from "./alarm-rules.ts";
import type { PaycastAlarm } from "./paycast-alarm.ts";

type Listener = Pick<NonNullable<Config["alarms"]>, "topicArn" | "email">;
type Topics = Pick<PaycastProps, "alarmTopic" | "morningAlarmTopic">;

/** Each alarm notifies the listeners of its severity. By default both severities have the same listeners. */
export function notifyListeners(
  scope: Construct,
  alarms: readonly PaycastAlarm[],
  listeners: Config["alarms"],
  { alarmTopic, morningAlarmTopic }: Topics,
): void {
  const first = [...listen(scope, alarmTopic), ...topicsOf(scope, "AlarmMail", listeners)];
  const own = [
    ...listen(scope, morningAlarmTopic),
    ...topicsOf(scope, "MorningMail", listeners?.morning),
  ];
  const later = own.length > 0 ? own : first;
  const withSeverity = (severity: Severity) =>
    alarms.filter((alarm) => alarm.severity === severity);
  for (const topicArn of first) notifyTopic(withSeverity("wake"), topicArn);
  for (const topicArn of later) notifyTopic(withSeverity("morning"), topicArn);
  if (first.length === 0) warnOfSilence(scope);
}

function listen(scope: Construct, topic: ITopic | undefined): string[] {
  if (topic === undefined) return [];
  letAlarmsPublish(scope, topic);
  return [topic.topicArn];
}

function topicsOf(scope: Construct, id: string, listener: Listener | undefined): string[] {
  const { topicArn, email } = listener ?? {};
  const mail = email === undefined ? undefined : mailTopic(scope, id, email);
  return [...(topicArn === undefined ? [] : [topicArn]), ...listen(scope, mail)];
}

/** AWS first asks the address for confirmation: until then it sends no mail. */
function mailTopic(scope: Construct, id: string, email: string): Topic {
  const displayName = `${Stack.of(scope).stackName} alarms`;
  const topic = new Topic(scope, id, { displayName, enforceSSL: true });
  topic.addSubscription(new EmailSubscription(email));
  return topic;
}

function warnOfSilence(scope: Construct): void {
  Annotations.of(scope).addWarningV2(
    "paycast:alarmsUnheard",
    "Nobody is notified of alarms: set alarms.email or alarms.topicArn (docs/configuration.md).",
  );
}

/** The topic gets a message when an alarm starts, and another one when it is over. */
function notifyTopic(alarms: readonly Alarm[], topicArn: string): void {
  const action = { bind: () => ({ alarmActionArn: topicArn }) };
  for (const alarm of alarms) {
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
}

/** If the topic or its key rejects the message of an alarm, nobody is notified. */
function letAlarmsPublish(scope: Construct, topic: ITopic): void {
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
      `${actions.join(" and ")}, or nobody is notified of an alarm.`,
  );
}
