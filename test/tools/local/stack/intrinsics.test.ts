import { expect, test } from "vitest";
import { createResolver } from "../../../../tools/local/stack/template/stack-context.ts";
import { readTemplate } from "../../../../tools/local/stack/template/template.ts";

const resolve = createResolver((logicalId) => ({
  ref: `ref-of-${logicalId}`,
  attribute: (name) => (name === "Missing" ? undefined : `${logicalId}'s ${name}`),
}));

test.each([
  [{ Ref: "Queue" }, "ref-of-Queue"],
  [{ "Fn::GetAtt": ["Queue", "Arn"] }, "Queue's Arn"],
  [{ "Fn::Join": [":", ["a", { Ref: "AWS::Region" }]] }, "a:us-east-1"],
  [
    { list: [{ Ref: "Queue" }, 2], flag: true },
    { list: ["ref-of-Queue", 2], flag: true },
  ],
])("%j is resolved", (value, expected) => {
  expect(resolve(value)).toEqual(expected);
});

test.each([
  { "Fn::ImportValue": "other" },
  { Ref: "AWS::NotificationARNs" },
  { "Fn::GetAtt": ["Queue", "Missing"] },
  { "Fn::Join": "not a list" },
  "{{resolve:ssm:/some/parameter}}",
])("%j is refused by name", (value) => {
  const name = typeof value === "string" ? value : JSON.stringify(value);
  expect(() => resolve(value)).toThrow(`The local stack does not know ${name}.`);
});

test.each([
  [{}, /Resources.Queue.Type/],
  [{ Type: "AWS::SQS::Queue", Condition: "IsTest" }, /Resources.Queue.Condition/],
])("the resource %j is not of a template that can run here", (Queue, message) => {
  expect(() => readTemplate({ Resources: { Queue } })).toThrow(message);
});
