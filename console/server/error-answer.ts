import { explainError } from "../../operations/target/explain-error.ts";

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
  const error = explainError(thrown);
  if (error === undefined) return answer(500, "console-failed", String(thrown));
  const status = statuses[error.code] ?? (/^(aws|gateway)-/.test(error.code) ? 502 : 500);
  return answer(status, error.code, error.message);
}

export function messageOf(thrown: unknown): string {
  return errorAnswer(thrown).body.error.message;
}

export function answer(status: number, code: string, message: string): ErrorAnswer {
  return { status, body: { error: { code, message } } };
}
