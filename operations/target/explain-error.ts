import { $ZodError } from "zod/v4/core";
import { describeIssues } from "../../shared/describe-issues.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import { explainAwsError } from "./explain-aws-error.ts";

/** What an error means for the operator. Undefined if only a developer can know. */
export function explainError(thrown: unknown): PaycastError | undefined {
  if (thrown instanceof PaycastError) return thrown;
  // What an operator types is checked before, so this is about something that was read from the stack.
  if (thrown instanceof $ZodError) {
    const message = `Something in the stack does not have the form that this version expects: ${describeIssues(thrown, "it")}.`;
    return new PaycastError("stored-unreadable", message, { cause: thrown });
  }
  return explainAwsError(thrown);
}
