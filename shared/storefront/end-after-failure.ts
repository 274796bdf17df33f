import { GatewayError } from "../gateway/gateway-error.ts";
import type { AttemptEnd } from "../orders/end-creation.ts";
import { PaycastError } from "../paycast-error.ts";

/**
 * How an attempt to create an order ends after its call to the service failed. If the keys cannot be used, nothing was
 * sent. After an unexpected error we do not know whether anything was sent. Only a refusal is remembered: a busy service
 * may be called again later.
 */
export function endAfterFailure(error: unknown, atMilliseconds: number): AttemptEnd {
  if (!(error instanceof PaycastError)) return { state: "unknown" };
  if (!(error instanceof GatewayError)) return { state: "refused" };
  if (error.mayHaveActed) return { state: "unknown" };
  const { failure, refusal } = error;
  if (failure !== "refused" || refusal === undefined) return { state: "refused" };
  return { state: "refused", refusal: { ...refusal, atMilliseconds } };
}
