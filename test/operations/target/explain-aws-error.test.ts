import { expect, test } from "vitest";
import { explainAwsError } from "../../../operations/target/explain-error.ts";

test.each(["TimeoutError", "AbortError"])("a call without an answer in time: %s", (name) => {
  const error = Object.assign(new Error("Request aborted"), { name });
  expect(explainAwsError(error)).toMatchObject({ code: "aws-unreachable" });
});

const denied = (because: string) => {
  const message = `User: arn:aws:sts::123456789012:assumed-role/on-call/anna is not authorized to perform: sqs:sendmessage on resource: arn:aws:sqs:eu-west-1:123456789012:q.fifo ${because}`;
  return explainAwsError(Object.assign(new Error(message), { name: "AccessDenied" }))?.message;
};

test("a send that the queue's policy refuses says what to configure", () => {
  expect(denied("with an explicit deny in a resource-based policy")).toBe(
    "The policy of the queue refuses sqs:sendmessage on arn:aws:sqs:eu-west-1:123456789012:q.fifo. The queues accept messages only from the functions and from the roles in operators of the config: list the ARN of your role there, with its path, and deploy (docs/configuration.md).",
  );
});

test("a send that IAM does not allow names the permission, and the operators too", () => {
  expect(denied("because no identity-based policy allows the sqs:sendmessage action")).toMatch(
    /^You lack the permission sqs:sendmessage on .+ in operators of the config/,
  );
});
