import { Stack, Annotations as WarningsOf } from "aws-cdk-lib";
import { Annotations, Match } from "aws-cdk-lib/assertions";
import { Alias, Key } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import { describe, expect, test } from "vitest";
import { messageOf } from "../builders/thrown-by.ts";
import { newApp, newPaycast, type PropsIn, paycastIn, place, templateWith } from "./paycast-app.ts";

const arn = (service: string, name: string, region = place.region) =>
  `arn:aws:${service}:${region}:123456789012:${name}`;
const encryptionKeyArn = arn("kms", "key/k-1");
const farKey = arn("kms", "key/k-1", "us-east-1");
const farSecret = arn("secretsmanager", "secret:keys-a1B2c3", "us-east-1");
const farTopic = (stack: Stack, id: string) =>
  Topic.fromTopicArn(stack, id, arn("sns", "on-call", "us-east-1"));
const farRole = "arn:aws:iam::210987654321:role/on-call-*";
const elsewhere = (prop: string) => `${prop} must be in eu-west-1, where the stack is deployed`;
const noAlias = "encryptionKey must be a key, not an alias: permissions name keys";

describe("wrong props", () => {
  test.each<[string, PropsIn, lines: string[]]>([
    [
      "several at once",
      () => ({ merchants: [], subscriber: [] }),
      ["merchants must have at least 1 entry", "the config has unknown fields: subscriber"],
    ],
    [
      "ARNs of another region",
      () => ({ secrets: { M1: { requestKeysArn: farSecret } }, encryptionKeyArn: farKey }),
      ["encryptionKeyArn", "secrets.M1.requestKeysArn"].map(elsewhere),
    ],
    [
      "a key and topics of another region",
      (stack) => ({
        encryptionKey: Key.fromKeyArn(stack, "K", farKey),
        alarmTopic: farTopic(stack, "T"),
        morningAlarmTopic: farTopic(stack, "M"),
      }),
      ["encryptionKey", "alarmTopic", "morningAlarmTopic"].map(elsewhere),
    ],
    [
      "operators of another account",
      () => ({
        operators: [`arn:aws:iam::${place.account}:role/own`, farRole],
        subscribers: [{ name: "ledger", types: ["*"], operators: [farRole] }],
      }),
      ["operators", "operators of subscriber ledger"].map(
        (field) => `${field} must be roles of account ${place.account}: ${farRole} is not`,
      ),
    ],
    [
      "two keys",
      (stack) => ({ encryptionKey: new Key(stack, "K"), encryptionKeyArn }),
      ["encryptionKeyArn must not be set together with encryptionKey"],
    ],
    [
      "an alias of a key",
      (stack) => ({
        encryptionKey: new Alias(stack, "A", { aliasName: "a", targetKey: new Key(stack, "K") }),
      }),
      [noAlias],
    ],
    [
      "an imported alias",
      (stack) => ({ encryptionKey: Key.fromKeyArn(stack, "I", arn("kms", "alias/a")) }),
      [noAlias],
    ],
    [
      "two topics, one of them FIFO",
      (stack) => ({
        alarmTopic: new Topic(stack, "OnCall", { fifo: true }),
        alarms: { topicArn: arn("sns", "on-call") },
      }),
      [
        "topicArn, email and morning of alarms must not be set together with alarmTopic",
        "alarmTopic must be a standard topic: alarms cannot use a FIFO topic",
      ],
    ],
    [
      "a topic for the morning alone, which would wake nobody",
      (stack) => ({ morningAlarmTopic: new Topic(stack, "Mailbox") }),
      ["alarmTopic must be set together with morningAlarmTopic"],
    ],
  ])("are refused, each in a line of its own: %s", (_case, propsIn, lines) => {
    const refusal = lines.map((line) => `\n  ${line}`).join("");
    expect(messageOf(() => templateWith(propsIn))).toBe(
      `Payments/Paycast has invalid props:${refusal}`,
    );
  });

  test("are not found by account and region as long as the stack has none", () => {
    const made = () => newPaycast(newApp(), { encryptionKeyArn: farKey, operators: [farRole] });
    expect(messageOf(made)).toBe("accepted");
  });
});

/** What the app warns of, if its owner has not acknowledged it. */
function warningsWith(propsIn: PropsIn, ...acknowledged: string[]): string[] {
  const stack = new Stack(newApp(), "Payments", { env: place });
  const paycast = paycastIn(stack, propsIn(stack));
  for (const id of acknowledged) WarningsOf.of(paycast).acknowledgeWarning(id);
  const found = Annotations.fromStack(stack).findWarning("/Payments/Paycast", Match.anyValue());
  return found.map(({ entry }) => String(entry.data));
}

const heard = { alarms: { email: "a@example.com" } };

describe("the app", () => {
  test("warns of nothing if operators and listeners are named", () => {
    expect(warningsWith(() => heard)).toEqual([]);
  });

  test.each<[id: string, when: string, PropsIn, warning: RegExp]>([
    ["alarmsUnheard", "nobody is notified of alarms", () => ({}), /^Nobody is notified of alarms/],
    [
      "noOperators",
      "no operators are named, so that IAM alone decides who may send",
      () => ({ ...heard, operators: [] }),
      /^No operators are configured: IAM alone decides who may send to the queues/,
    ],
    [
      "keyAccount",
      "the key is in another account, whose policy must let this one use it",
      () => ({ ...heard, encryptionKeyArn: `arn:aws:kms:${place.region}:999956789012:key/k-1` }),
      /in account 999956789012.* let account 123456789012 use/,
    ],
    [
      "keyPolicy",
      "the policy of an imported key must allow logs, alarms and readers",
      () => ({
        ...heard,
        encryptionKeyArn,
        subscribers: [{ name: "ledger", types: ["*"], readers: ["210987654321"] }],
      }),
      /CloudWatch Logs and CloudWatch's alarms use the key, and let 210987654321 decrypt/,
    ],
    [
      "keyPolicy",
      "the policy of an imported key must allow logs and alarms",
      () => ({ ...heard, encryptionKeyArn }),
      /CloudWatch Logs and CloudWatch's alarms use the key: docs/,
    ],
    [
      "topicKeyPolicy",
      "the key of the alarms' topic cannot be changed, because alarms could start unheard",
      (stack) => ({
        alarmTopic: Topic.fromTopicAttributes(stack, "OnCall", {
          topicArn: arn("sns", "on-call"),
          keyArn: encryptionKeyArn,
        }),
      }),
      /KMS key of alarmTopic cannot be changed here.*cloudwatch/,
    ],
  ])("warns by paycast:%s if %s, until that is acknowledged", (id, _case, propsIn, warning) => {
    const isMeant = (text: string) => warning.test(text);
    expect(warningsWith(propsIn).filter(isMeant)).toHaveLength(1);
    expect(warningsWith(propsIn, `paycast:${id}`).filter(isMeant)).toEqual([]);
  });
});
