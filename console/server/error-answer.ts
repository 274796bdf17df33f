import { $ZodError } from "zod/v4/core";
import { explainAwsError } from "../../operations/target/explain-aws-error.ts";
import { describeIssues } from "../../shared/describe-issues.ts";
import { PaycastError } from "../../shared/paycast-error.ts";

export interface ErrorAnswer {
  readonly status: number;
  readonly body: { readonly error: { readonly code: string; readonly message: string } };
}

const statuses: Readonly<Record<string, number>> = {
  "not-found": 404,
  "nothing-stored": 404,
  "target-not-found": 502,
  "target-incomplete": 502,
  "ambiguous-id": 409,
  "replay-not-resumable": 409,
  "replay-too-large": 400,
  "time-out-of-range": 400,
  "wrong-usage": 400,
};

/** What the page shows when a request fails: what happened, and what to do. */
export function errorAnswer(thrown: unknown): ErrorAnswer {
  if (thrown instanceof $ZodError) {
    return answer(500, "console-failed", unexpected(thrown));
  }
  const error = thrown instanceof PaycastError ? thrown : explainAwsError(thrown);
  if (error === undefined) return answer(500, "console-failed", String(thrown));
  const status = statuses[error.code] ?? (/^(aws|gateway)-/.test(error.code) ? 502 : 500);
  return answer(status, error.code, error.message);
}

/** A request is checked by its route, so this is about something that was read from the stack. */
function unexpected(error: $ZodError): string {
  const what = describeIssues(error, "it");
  return `Something in the stack does not have the form that this version expects: ${what}.`;
}

export function answer(status: number, code: string, message: string): ErrorAnswer {
  return { status, body: { error: { code, message } } };
}
