import type { LogFields, Metrics } from "../telemetry/log-line.ts";
import type { KeyProblem } from "./key-ring.ts";

/**
 * A problem with a merchant's keys. Only one with the current version is counted: after it is fixed, the broken
 * version is the previous one for days, and an alarm that goes on ringing would hide the next problem.
 */
export function describeKeysProblem({
  merchantId,
  stage,
  code,
  message,
}: KeyProblem): [fields: LogFields, metrics: Metrics] {
  const fields = { outcome: "keys-problem", merchantId, reason: code, detail: message };
  return [fields, { KeysProblem: stage === "current" ? 1 : 0 }];
}
