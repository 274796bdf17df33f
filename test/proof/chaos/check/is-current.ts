import type { Answered } from "../../ask.ts";
import { parseObject } from "./open-envelope.ts";

/**
 * Whether the response is up to date with the service. An order without a payment id stays stale unless it is paid,
 * because it cannot be queried.
 */
export function isCurrent({ status = 500, answer }: Answered): boolean {
  const { stale, paymentId } = parseObject(answer) ?? {};
  return status < 500 && (stale !== true || paymentId === undefined);
}
