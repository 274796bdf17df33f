import { describe, expect, test } from "vitest";
import { createResolver } from "../../local/stack/template/resolve-intrinsics.ts";
import { readTemplate } from "../../local/stack/template/template.ts";

const template = readTemplate({
  Resources: {},
  Parameters: { Stage: { Type: "String", Default: "test" }, Unset: { Type: "String" } },
  Mappings: { Hosts: { "us-east-1": { name: "here" } } },
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

describe("what it knows", () => {
  test.each([
    [{ Ref: "Queue" }, "ref-of-Queue"],
    [{ Ref: "Stage" }, "test"],
    [{ "Fn::GetAtt": ["Queue", "Arn"] }, "Queue's Arn"],
    [{ "Fn::GetAtt": "Queue.Outputs.Url" }, "Queue's Outputs.Url"],
    [{ "Fn::Join": [":", ["a", { Ref: "AWS::Region" }, 1]] }, "a:us-east-1:1"],
    [
      { "Fn::Sub": `\${Queue}/\${Queue.Arn}/\${!kept}/\${AWS::AccountId}` },
      `ref-of-Queue/Queue's Arn/\${kept}/000000000000`,
    ],
    [{ "Fn::Sub": [`\${own}-\${Queue}`, { own: { Ref: "Stage" } }] }, "test-ref-of-Queue"],
    [{ "Fn::Select": [1, { "Fn::Split": ["/", "a/b/c"] }] }, "b"],
    [{ "Fn::Select": ["0", ["x", "y"]] }, "x"],
    [{ "Fn::If": ["IsTest", "yes", "no"] }, "yes"],
    [{ "Fn::If": ["IsAbroad", "yes", "no"] }, "no"],
    [{ "Fn::If": ["Either", "yes", "no"] }, "yes"],
    [{ "Fn::If": ["Both", "yes", "no"] }, "no"],
    [{ "Fn::FindInMap": ["Hosts", { Ref: "AWS::Region" }, "name"] }, "here"],
    [{ "Fn::Base64": "hello" }, "aGVsbG8="],
    [{ Ref: "AWS::Partition" }, "aws"],
    [{ Ref: "AWS::URLSuffix" }, "amazonaws.com"],
    [{ Ref: "AWS::StackName" }, "Shop"],
  ])("%j is resolved", (value, expected) => {
    expect(resolve(value)).toBe(expected);
  });

  test("values deep inside are resolved and plain ones left as they are", () => {
    const value = { list: [{ Ref: "Queue" }, 2], nested: { flag: true, Ref: "beside others" } };
    expect(resolve(value)).toEqual({
      list: ["ref-of-Queue", 2],
      nested: { flag: true, Ref: "beside others" },
    });
  });

  test("AWS::NoValue takes a property or an element away", () => {
    const nothing = { "Fn::If": ["IsAbroad", "x", { Ref: "AWS::NoValue" }] };
    expect(resolve({ a: nothing, b: [nothing, 1] })).toEqual({ b: [1] });
  });
});

describe("what it does not know is an error that names it", () => {
  test.each([
    [{ "Fn::ImportValue": "other" }, /Fn::ImportValue/],
    [{ "Fn::Cidr": ["10.0.0.0/8", 1, 1] }, /Fn::Cidr/],
    [{ Ref: "AWS::NotificationARNs" }, /AWS::NotificationARNs/],
    [{ Ref: "Unset" }, /Unset has no default/],
    [{ "Fn::GetAtt": ["Queue", "Missing"] }, /Missing of Queue/],
    [{ "Fn::If": ["Odd", 1, 2] }, /condition Odd.*Fn::Contains/],
    [{ "Fn::If": ["Absent", 1, 2] }, /condition Absent/],
    [{ "Fn::Join": "not a list" }, /Fn::Join "not a list"/],
    [{ "Fn::Select": [5, ["a"]] }, /nothing at 5/],
    [{ "Fn::FindInMap": ["Hosts", "moon", "name"] }, /Hosts, moon, name/],
    ["{{resolve:ssm:/some/parameter}}", /resolve:ssm:\/some\/parameter/],
  ])("%j", (value, message) => {
    expect(() => resolve(value)).toThrow(message);
  });

  test("something that is not a template", () => {
    expect(() => readTemplate({ Resources: { Queue: {} } })).toThrow(/Resources.Queue.Type/);
  });
});
