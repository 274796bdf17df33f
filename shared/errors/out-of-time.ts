import { PaycastError } from "./paycast-error.ts";

/** Our own time was over before the call: nothing was sent, and nobody else is to blame. */
export function outOfTime(): PaycastError {
  return new PaycastError("out-of-time", "The time for this request was over before the call.", {
    retryable: true,
  });
}
