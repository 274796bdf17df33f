import { expect, test } from "vitest";
import { createResolver } from "../../../../tools/operations/template/resolve-intrinsics.ts";
import {
  resolverOf,
  type StackTemplate,
} from "../../../../tools/operations/template/stack-template.ts";

/** The placeholders of Fn::Sub, which a linter takes for those of a template string. */
const sub = (text: string) => text.replaceAll(/<([^>]+)>/g, "$${$1}");

const resolve = createResolver({
  refOf: (name) => (name === "AWS::NotificationARNs" ? undefined : `ref-of-${name}`),
  attributeOf: (logicalId, attribute) =>
    attribute === "Missing" ? undefined : `${logicalId}'s ${attribute}`,
});

test.each([
  [{ Ref: "Queue" }, "ref-of-Queue"],
  [{ "Fn::GetAtt": ["Queue", "Arn"] }, "Queue's Arn"],
  [{ "Fn::Join": [":", ["a", { Ref: "AWS::Region" }]] }, "a:ref-of-AWS::Region"],
  [
    { "Fn::Sub": sub("<AWS::Region>/<Queue.Arn>/<!Kept>/$") },
    sub("ref-of-AWS::Region/Queue's Arn/<Kept>/$"),
  ],
  [
    { list: [{ Ref: "Queue" }, 2], flag: true },
    { list: ["ref-of-Queue", 2], flag: true },
  ],
])("%j is resolved", (value, expected) => {
  expect(resolve(value)).toEqual(expected);
});

test.each([
  { "Fn::ImportValue": "other" },
  { "Fn::If": ["IsTest", "a", "b"] },
  { Ref: "AWS::NotificationARNs" },
  { "Fn::GetAtt": ["Queue", "Missing"] },
  { "Fn::Join": "not a list" },
  { "Fn::Sub": sub("<Queue.Missing>") },
  "{{resolve:ssm:/some/parameter}}",
])("%j is refused by name", (value) => {
  const name = typeof value === "string" ? value : JSON.stringify(value);
  expect(() => resolve(value)).toThrow(`The template has ${name}, and nothing here says what`);
});

const stack: StackTemplate = {
  template: {
    Resources: {
      Inbox: { Type: "AWS::SQS::Queue", Properties: {} },
      Role: { Type: "AWS::IAM::Role", Properties: {} },
      Key: { Type: "AWS::KMS::Key", Properties: {} },
      Topic: { Type: "AWS::SNS::Topic", Properties: {} },
    },
    Outputs: { KeyArn: { Value: { "Fn::ImportValue": "keys:Arn" } } },
  },
  place: { partition: "aws-us-gov", region: "us-gov-west-1", accountId: "123456789012" },
  physicalIds: {
    Inbox: "https://sqs.us-gov-west-1.amazonaws.com/123456789012/Paycast-Inbox-1A.fifo",
    Role: "Paycast-Role-2B",
    Key: "1234abcd-12ab-34cd-56ef-1234567890ab",
    Topic: "arn:aws-us-gov:sns:us-gov-west-1:123456789012:t",
  },
  parameters: { Stage: "prod" },
  outputs: { KeyArn: "arn:aws-us-gov:kms:us-gov-west-1:210987654321:key/k" },
};

test.each([
  [{ Ref: "Inbox" }, "https://sqs.us-gov-west-1.amazonaws.com/123456789012/Paycast-Inbox-1A.fifo"],
  [
    { "Fn::GetAtt": ["Inbox", "Arn"] },
    "arn:aws-us-gov:sqs:us-gov-west-1:123456789012:Paycast-Inbox-1A.fifo",
  ],
  [{ "Fn::GetAtt": ["Inbox", "QueueName"] }, "Paycast-Inbox-1A.fifo"],
  [{ "Fn::GetAtt": ["Role", "Arn"] }, "arn:aws-us-gov:iam::123456789012:role/Paycast-Role-2B"],
  [
    { "Fn::GetAtt": ["Key", "Arn"] },
    "arn:aws-us-gov:kms:us-gov-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab",
  ],
  [
    { "Fn::Sub": sub("arn:<AWS::Partition>:iam::<AWS::AccountId>:root") },
    "arn:aws-us-gov:iam::123456789012:root",
  ],
  [{ Ref: "Stage" }, "prod"],
  [{ "Fn::ImportValue": "keys:Arn" }, "arn:aws-us-gov:kms:us-gov-west-1:210987654321:key/k"],
])("a deployed stack's %j has its own value", (value, expected) => {
  expect(resolverOf(stack)(value)).toBe(expected);
});

test.each([
  { "Fn::GetAtt": ["Topic", "Arn"] },
  { "Fn::GetAtt": ["Nobody", "Arn"] },
  { Ref: "Nobody" },
])("a deployed stack's %j is not guessed", (value) => {
  expect(() => resolverOf(stack)(value)).toThrow("nothing here says what that is");
});
