import { PaycastError } from "../paycast-error.ts";

/** Thrown when others write one order faster than this writer gets its turn; the same may be tried later. */
export function orderContended(): PaycastError {
  return new PaycastError("order-contended", "The order changes too fast.", { retryable: true });
}
