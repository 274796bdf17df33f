import { readFileSync } from "node:fs";
import { type App, Stack, Annotations as WarningsOf } from "aws-cdk-lib";
import { Annotations, Match } from "aws-cdk-lib/assertions";
import { Topic } from "aws-cdk-lib/aws-sns";
import { describe, expect, test } from "vitest";
import type { PaycastProps } from "../../infra/config/paycast-props.ts";
import { messageOf } from "../builders/thrown-by.ts";
import { alarmingOptions, runbookSection, severityOf } from "./alarm-shapes.ts";
import { newApp, paycastIn } from "./consuming/consumer-stack.ts";
import {
  type Resource,
  resourcesOf,
  type StackTemplate,
  spell,
  synthesizeTemplate,
} from "./stack-template.ts";

const runbook = readFileSync(new URL("../../docs/runbook.md", import.meta.url), "utf8");
const pager = "arn:aws:sns:eu-west-1:123456789012:pager";
const mailbox = "arn:aws:sns:eu-west-1:123456789012:mailbox";
const template = synthesizeTemplate({ ...alarmingOptions, alarms: { topicArn: pager } });
const alarmsOf = (stack: StackTemplate) => resourcesOf(stack, "AWS::CloudWatch::Alarm");

/** Who hears of the alarms of each severity, when they start and when they are over. */
function listenersOf(stack: StackTemplate): Record<string, string> {
  const heard = alarmsOf(stack).map(([, alarm]) => {
    const { AlarmActions = [], OKActions = [] } = alarm.Properties;
    expect(OKActions).toEqual(AlarmActions);
    return [severityOf(alarm)!, AlarmActions.map(spell).join(" ")] as const;
  });
  for (const [severity, listeners] of heard) {
    expect(heard.filter(([one, other]) => one === severity && other !== listeners)).toEqual([]);
  }
  return Object.fromEntries(heard);
}

function templateWith(propsIn: (stack: Stack) => Partial<PaycastProps>): StackTemplate {
  const app = newApp();
  const stack = new Stack(app, "Payments");
  paycastIn(stack, propsIn(stack));
  return app.synth().getStackByName("Payments").template;
}

describe("the severity of an alarm", () => {
  test.each(alarmsOf(template))("%s is in its description as in the runbook", (_, alarm) => {
    const section = runbookSection(alarm);
    expect(runbook).toContain(`\n## ${section}\n\nSeverity: **${severityOf(alarm)}**\n`);
  });

  test("lets people sleep: a stranger who knows no merchant id wakes nobody, lost orders do", () => {
    const severities = Object.fromEntries(
      alarmsOf(template).map(([, alarm]) => [runbookSection(alarm)!, severityOf(alarm)]),
    );
    expect(severities["client-errors"]).toBe("morning");
    expect(severities).toMatchObject({ "server-errors": "wake", "storefront-faults": "wake" });
    expect(severities).toMatchObject({ "inbox-age": "wake", "callbacks-refused": "wake" });
  });
});

describe("who hears of alarms", () => {
  test("is one topic for all of them, if there is only one", () => {
    expect(listenersOf(template)).toEqual({ wake: pager, morning: pager });
  });

  test("is another topic for those that can wait, if the config names it", () => {
    const alarms = { topicArn: pager, morning: { topicArn: mailbox } };
    expect(listenersOf(synthesizeTemplate({ alarms }))).toEqual({ wake: pager, morning: mailbox });
  });

  test("is an email address, through a topic that only takes what is encrypted on its way", () => {
    const stack = synthesizeTemplate({ alarms: { email: "on-call@example.com" } });
    expect(listenersOf(stack)).toEqual({ wake: "AlarmMail", morning: "AlarmMail" });
    const [[, subscription]] = resourcesOf(stack, "AWS::SNS::Subscription") as [[string, Resource]];
    expect(subscription.Properties).toMatchObject({
      Protocol: "email",
      Endpoint: "on-call@example.com",
    });
    const [[, policy]] = resourcesOf(stack, "AWS::SNS::TopicPolicy") as [[string, Resource]];
    expect(policy.Properties.PolicyDocument.Statement).toMatchObject([
      { Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } },
      { Effect: "Allow", Principal: { Service: "cloudwatch.amazonaws.com" } },
    ]);
  });

  test("may be a topic and an address, and two addresses", () => {
    const alarms = { topicArn: pager, email: "a@example.com", morning: { email: "b@example.com" } };
    const stack = synthesizeTemplate({ alarms });
    expect(listenersOf(stack)).toEqual({ wake: `${pager} AlarmMail`, morning: "MorningMail" });
  });

  test("are two topics of the app", () => {
    const stack = templateWith((scope) => ({
      alarmTopic: new Topic(scope, "Pager"),
      morningAlarmTopic: new Topic(scope, "Mailbox"),
    }));
    expect(listenersOf(stack)).toEqual({ wake: "Pager", morning: "Mailbox" });
    expect(resourcesOf(stack, "AWS::SNS::TopicPolicy")).toHaveLength(2);
  });

  test("cannot be a topic for the morning alone: then nothing would wake a person", () => {
    const props = (stack: Stack) => ({ morningAlarmTopic: new Topic(stack, "Mailbox") });
    expect(messageOf(() => templateWith(props))).toContain(
      "\n  alarmTopic must be given together with morningAlarmTopic",
    );
  });

  test("reads mail from a topic that is encrypted with the stack's own key, which CloudWatch may use", () => {
    const encryptionKeyArn = "arn:aws:kms:eu-west-1:123456789012:key/k-1";
    const app = newApp();
    const stack = new Stack(app, "Payments");
    paycastIn(stack, { encryptionKeyArn, alarms: { email: "a@example.com" } });
    const { template: mailing } = app.synth().getStackByName("Payments");
    const [[, topic]] = resourcesOf(mailing, "AWS::SNS::Topic") as [[string, Resource]];
    expect(topic.Properties.KmsMasterKeyId).toBe(encryptionKeyArn);
    expectWarning(stack, "CloudWatch Logs and CloudWatch's alarms use the key");
  });
});

function expectWarning(stack: Stack, text: string): void {
  const pattern = Match.stringLikeRegexp(text);
  expect(Annotations.fromStack(stack).findWarning("*", pattern)).toHaveLength(1);
}

describe("an app whose alarms nobody hears", () => {
  const unheard = "Nobody hears of alarms";
  const silent = (app: App, props: Partial<PaycastProps> = {}) => {
    const stack = new Stack(app, "Payments");
    return { stack, paycast: paycastIn(stack, props) };
  };

  test("warns, until a topic or an address is named", () => {
    expectWarning(silent(newApp()).stack, unheard);
    const { stack } = silent(newApp(), { alarms: { email: "a@example.com" } });
    Annotations.fromStack(stack).hasNoWarning("*", Match.anyValue());
  });

  test("does not warn if this is meant", () => {
    const { stack, paycast } = silent(newApp());
    WarningsOf.of(paycast).acknowledgeWarning("paycast:alarmsUnheard");
    Annotations.fromStack(stack).hasNoWarning("*", Match.anyValue());
  });
});
