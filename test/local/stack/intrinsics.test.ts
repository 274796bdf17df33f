import { expect, test } from "vitest";
import { createResolver } from "../../../local/stack/template/resolve-intrinsics.ts";
import { readTemplate } from "../../../local/stack/template/template.ts";

const template = readTemplate({
  Resources: {},
  Parameters: { Stage: { Type: "String", Default: "test" }, Unset: { Type: "String" } },
  Conditions: {
    IsTest: { "Fn::Equals": [{ Ref: "Stage" }, "test"] },
    IsAbroad: { "Fn::Not": [{ "Fn::Equals": [{ Ref: "AWS::Region" }, "us-east-1"] }] },
    Either: { "Fn::Or": [{ Condition: "IsAbroad" }, { Condition: "IsTest" }] },
    Both: { "Fn::And": [{ Condition: "IsAbroad" }, { Condition: "IsTest" }] },
    Odd: { "Fn::Contains": [["a"], "a"] },
  },
});

const resolve = createResolver({
  template,
  stackName: "Shop",
  identify: (logicalId) => ({
    ref: `ref-of-${logicalId}`,
    attribute: (name) => (name === "Missing" ? undefined : `${logicalId}'s ${name}`),
  }),
});

test.each([
  [{ Ref: "Queue" }, "ref-of-Queue"],
  [{ Ref: "Stage" }, "test"],
  [{ Ref: "AWS::StackName" }, "Shop"],
  [{ "Fn::GetAtt": ["Queue", "Arn"] }, "Queue's Arn"],
  [{ "Fn::GetAtt": "Queue.Outputs.Url" }, "Queue's Outputs.Url"],
  [{ "Fn::Join": [":", ["a", { Ref: "AWS::Region" }, 1]] }, "a:us-east-1:1"],
  [
    { "Fn::Sub": `\${Queue}/\${Queue.Arn}/\${!kept}/\${AWS::AccountId}` },
    `ref-of-Queue/Queue's Arn/\${kept}/000000000000`,
  ],
  [{ "Fn::Sub": [`\${own}-\${Queue}`, { own: { Ref: "Stage" } }] }, "test-ref-of-Queue"],
  [{ "Fn::Select": [1, { "Fn::Split": ["/", "a/b/c"] }] }, "b"],
  [{ "Fn::If": ["Either", "yes", "no"] }, "yes"],
  [{ "Fn::If": ["Both", "yes", "no"] }, "no"],
])("%j is resolved", (value, expected) => {
  expect(resolve(value)).toBe(expected);
});

test("values deep inside are resolved, and AWS::NoValue removes a property or an element", () => {
  const nothing = { "Fn::If": ["IsAbroad", "x", { Ref: "AWS::NoValue" }] };
  const value = { list: [{ Ref: "Queue" }, nothing, 2], gone: nothing, nested: { flag: true } };
  expect(resolve(value)).toEqual({ list: ["ref-of-Queue", 2], nested: { flag: true } });
});

test.each([
  [{ "Fn::ImportValue": "other" }, /Fn::ImportValue/],
  [{ Ref: "AWS::NotificationARNs" }, /AWS::NotificationARNs/],
  [{ Ref: "Unset" }, /Unset has no default/],
  [{ "Fn::GetAtt": ["Queue", "Missing"] }, /Missing of Queue/],
  [{ "Fn::If": ["Odd", 1, 2] }, /condition Odd.*Fn::Contains/],
  [{ "Fn::If": ["Absent", 1, 2] }, /condition Absent/],
  [{ "Fn::Join": "not a list" }, /Fn::Join "not a list"/],
  ["{{resolve:ssm:/some/parameter}}", /resolve:ssm:\/some\/parameter/],
])("%j is refused by name", (value, message) => {
  expect(() => resolve(value)).toThrow(message);
});

test("a file that is not a template is refused", () => {
  expect(() => readTemplate({ Resources: { Queue: {} } })).toThrow(/Resources.Queue.Type/);
});
