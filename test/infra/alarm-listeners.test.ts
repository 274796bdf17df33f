import { readFileSync } from "node:fs";
import { Key } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import { describe, expect, test } from "vitest";
import { alarmRules } from "../../infra/alarms/alarm-rules.ts";
import { severityOf } from "./alarm-shapes.ts";
import { place, templateWith } from "./paycast-app.ts";
import { propertiesOf, resourcesOf, type StackTemplate, stackInWords } from "./stack-template.ts";

const runbook = readFileSync(new URL("../../docs/runbook.md", import.meta.url), "utf8");
const pager = "arn:aws:sns:eu-west-1:123456789012:pager";
const mailbox = "arn:aws:sns:eu-west-1:123456789012:mailbox";

/** Who hears of the alarms of each severity, when they start and when they are over. */
function listenersOf(stack: StackTemplate): Record<string, string> {
  const heard = resourcesOf(stack, "AWS::CloudWatch::Alarm").map(([, alarm]) => {
    const { AlarmActions = [], OKActions = [] } = alarm.Properties;
    expect(OKActions).toEqual(AlarmActions);
    return `${severityOf(alarm)}: ${AlarmActions.join(" ")}`;
  });
  const [first = "", other = "", ...more] = new Set(heard);
  expect(more).toEqual([]);
  return Object.fromEntries([first, other].map((line) => line.split(": ")));
}

describe("the severity of an alarm", () => {
  test.each(Object.entries(alarmRules))("%s is the one in the runbook", (section, { severity }) => {
    expect(runbook).toContain(`\n## ${section}\n\nSeverity: **${severity}**\n`);
  });

  test("wakes a person for lost orders and for what hides them", () => {
    const waking = Object.entries(alarmRules).filter(([, { severity }]) => severity === "wake");
    expect(waking.map(([section]) => section)).toEqual([
      "attention-new",
      "attention-unknown",
      "inbox",
      "callbacks-failing",
      "callbacks-all-refused",
      "callbacks-missing",
      "keys",
      "cannot-sell",
    ]);
  });
});

const on = "on-call@example.com";
const two = { topicArn: pager, email: on, morning: { email: "b@example.com" } };

describe("who hears of alarms", () => {
  test.each([
    ["one topic for all of them", { topicArn: pager }, pager, pager],
    ["two topics", { topicArn: pager, morning: { topicArn: mailbox } }, pager, mailbox],
    ["an email address", { email: on }, "AlarmMail", "AlarmMail"],
    ["a topic and an address, and another address", two, `${pager} AlarmMail`, "MorningMail"],
  ])("is what the config says: %s", (_case, alarms, wake, morning) => {
    expect(listenersOf(stackInWords({ alarms }))).toEqual({ wake, morning });
  });

  test("reads mail from a topic that only takes what is encrypted on its way", () => {
    const stack = stackInWords({ alarms: { email: on } });
    const [subscription] = Object.values(propertiesOf(stack, "AWS::SNS::Subscription"));
    expect(subscription).toMatchObject({ Protocol: "email", Endpoint: on });
    const [policy] = Object.values(propertiesOf(stack, "AWS::SNS::TopicPolicy"));
    expect(policy.PolicyDocument.Statement).toMatchObject([
      { Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } },
      { Effect: "Allow", Principal: { Service: "cloudwatch.amazonaws.com" } },
    ]);
  });

  test("are topics of the app, to which CloudWatch may publish with their keys", () => {
    const stack = templateWith((scope) => ({
      alarmTopic: new Topic(scope, "Pager", { masterKey: new Key(scope, "TopicKey") }),
      morningAlarmTopic: new Topic(scope, "Mailbox"),
    }));
    expect(listenersOf(stack)).toEqual({ wake: "Pager", morning: "Mailbox" });
    const policies = Object.values(propertiesOf(stack, "AWS::SNS::TopicPolicy"));
    const statement = {
      Effect: "Allow",
      Action: "sns:Publish",
      Principal: { Service: "cloudwatch.amazonaws.com" },
      Condition: { StringEquals: { "aws:SourceAccount": place.account } },
    };
    expect(policies.map(({ PolicyDocument }) => PolicyDocument.Statement)).toMatchObject([
      [{ ...statement, Resource: "Pager" }],
      [{ ...statement, Resource: "Mailbox" }],
    ]);
    const { KeyPolicy } = propertiesOf(stack, "AWS::KMS::Key")["TopicKey"];
    expect(KeyPolicy.Statement).toContainEqual({
      Effect: "Allow",
      Action: ["kms:Decrypt", "kms:GenerateDataKey*"],
      Resource: "*",
      Principal: { Service: "cloudwatch.amazonaws.com" },
    });
  });
});
