import { expect, test } from "vitest";
import { readTemplate } from "../../../../tools/local/stack/template/template.ts";

test.each([
  [{}, /Resources.Queue.Type/],
  [{ Type: "AWS::SQS::Queue", Condition: "IsTest" }, /Resources.Queue.Condition/],
])("the resource %j is not of a template that can run here", (Queue, message) => {
  expect(() => readTemplate({ Resources: { Queue } })).toThrow(message);
});
