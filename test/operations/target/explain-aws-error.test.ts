import { expect, test } from "vitest";
import { explainAwsError } from "../../../operations/target/explain-aws-error.ts";

test.each(["TimeoutError", "AbortError"])("a call without an answer in time: %s", (name) => {
  const error = Object.assign(new Error("Request aborted"), { name });
  expect(explainAwsError(error)).toMatchObject({ code: "aws-unreachable" });
});
