import { Refusal, type RefusalClass } from "../envelope/refusal.ts";

/** What the service hears. One answer for each class of refusal, whatever the cause; headers too. */
export interface CallbackAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Stored (§4.4). */
export const acceptedAnswer = answer(200, 20000, "");

/** Not stored: the service sends it again (§6). Keys that cannot be had and faults of our own end here too. */
const notStoredAnswer = answer(503, 50300, "not stored, send it again");

const refusalAnswers: Record<RefusalClass, CallbackAnswer> = {
  "not-an-envelope": answer(400, 40000, "not a callback envelope"),
  "not-authentic": answer(401, 40100, "not authentic"),
  "too-large": answer(413, 41300, "over 256 KiB"),
};

export function answerToError(error: unknown): CallbackAnswer {
  return error instanceof Refusal ? refusalAnswers[error.refusalClass] : notStoredAnswer;
}

function answer(statusCode: number, code: number, msg: string): CallbackAnswer {
  return {
    statusCode,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code, msg }),
  };
}
