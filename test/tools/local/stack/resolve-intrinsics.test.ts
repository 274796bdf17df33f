import { expect, test } from "vitest";
import { createResolver } from "../../../../tools/local/stack/template/resolve-intrinsics.ts";

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
