import type { Answered } from "../../ask.ts";
import { parseObject } from "./open-envelope.ts";

/**
 * Whether the answer says what the service says now. An order without a payment id is stale for good, unless it is paid:
 * nobody can ask the service about it.
 */
export function isCurrent({ status = 500, answer }: Answered): boolean {
  const { stale, paymentId } = parseObject(answer) ?? {};
  return status < 500 && (stale !== true || paymentId === undefined);
}
