import { GatewayError } from "../gateway/gateway-error.ts";
import type { Metrics } from "../telemetry/log-line.ts";

/**
 * What the alarm on sales counts for an order, when its first attempt has ended. Creations that reached the service, or
 * should have: what was rejected as wrong counts nowhere. A rejection that the config calls the caller's fault counts
 * apart, so that a shop with many wrong orders does not hide an outage. Both numbers are always written
 * (docs/decisions/0023-metric-math.md).
 */
export function countCreation(error: unknown, callerCodes: readonly string[]): Metrics {
  if (error === undefined) return { Creations: 1, CreationFailures: 0 };
  if (isFaultOfCaller(error, callerCodes)) return { CallerRefused: 1 };
  return { Creations: 1, CreationFailures: 1 };
}

function isFaultOfCaller(error: unknown, callerCodes: readonly string[]): boolean {
  const code = error instanceof GatewayError ? error.refusal?.code : undefined;
  return code !== undefined && callerCodes.includes(code);
}
