import { smokeName } from "../smoke-merchant.ts";
import type { LogFields, Metrics } from "../telemetry/log-line.ts";
import type { KeyProblem } from "./key-ring.ts";

/**
 * Only a problem of the current version is counted. After a fix, the broken version stays the previous one for days,
 * and an alarm that stays in ALARM would hide the next problem. The keys of smoke tests are not counted: they may be
 * missing between tests.
 */
export function describeKeysProblem({
  merchantId,
  stage,
  code,
  message,
}: KeyProblem): [fields: LogFields, metrics: Metrics] {
  const fields: LogFields = { outcome: "keys-problem", merchantId, reason: code, detail: message };
  const isOutage = stage === "current" && merchantId !== smokeName;
  return [fields, { KeysProblem: isOutage ? 1 : 0 }];
}
