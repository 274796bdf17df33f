import { PaycastError } from "../../shared/paycast-error.ts";
import { errorAnswer } from "../server/error-answer.ts";

/** An error in the middle of work that says what was done before. */
export function failedAfter(done: string, failure: unknown): PaycastError {
  const { message } = errorAnswer(failure).body.error;
  return new PaycastError("aws-refused", `${done} Then it failed: ${message}`, { cause: failure });
}
