import { Refusal, type RefusalClass } from "../envelope/refusal.ts";
import type { HttpAnswer } from "../http-answer.ts";

/** Stored (§4.4). */
export const acceptedAnswer = answer(200, 20000, "");

/** Not stored: the service sends it again (§6). Also for missing keys and for our own errors. */
const notStoredAnswer = answer(503, 50300, "not stored, send it again");

/**
 * One answer for each class of refusal, headers included, whatever the reason: a forger must not learn from the answer
 * which check failed (SECURITY.md). The reason is only in the log.
 */
const refusalAnswers: Record<RefusalClass, HttpAnswer> = {
  "not-an-envelope": answer(400, 40000, "not a callback envelope"),
  "not-authentic": answer(401, 40100, "not authentic"),
  // The sender knows its own address, so this may differ from the answer to what is not authentic.
  "source-not-allowed": answer(403, 40300, "not from this address"),
  "too-large": answer(413, 41300, "over 256 KiB"),
};

export function answerToError(error: unknown): HttpAnswer {
  return error instanceof Refusal ? refusalAnswers[error.refusalClass] : notStoredAnswer;
}

function answer(statusCode: number, code: number, msg: string): HttpAnswer {
  return {
    statusCode,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code, msg }),
  };
}
