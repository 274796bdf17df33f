import { smokeName } from "../smoke-merchant.ts";
import type { LogFields, Metrics } from "../telemetry/log-line.ts";
import type { KeyProblem } from "./key-ring.ts";

/** The keys of smoke tests are not counted: they may be missing between tests. */
export function describeKeysProblem(
  problem: KeyProblem,
  nowMilliseconds: number,
): [fields: LogFields, metrics: Metrics] {
  const { merchantId, code, message } = problem;
  const [outcome, stage] = ["keys-problem", "keys"] as const;
  const fields: LogFields = { outcome, merchantId, stage, reason: code, detail: message };
  return [fields, merchantId === smokeName ? {} : countKeysProblem(problem, nowMilliseconds)];
}

/**
 * Only a problem of the current version is counted. After a fix, the broken version stays the previous one for days,
 * and an alarm that stays in ALARM would hide the next problem. While fetched keys still serve, a fetch that fails can
 * wait: it counts with the time since which it has failed.
 */
export function countKeysProblem(
  { stage, code, isServed, sinceMilliseconds }: KeyProblem,
  nowMilliseconds: number,
): Metrics {
  if (stage === "previous") return {};
  const canWait = code === "keys-unreachable" && isServed;
  if (!canWait) return { KeysProblem: 1 };
  const failingMilliseconds = Math.max(0, nowMilliseconds - sinceMilliseconds);
  return { KeysFetchFailingSeconds: Math.round(failingMilliseconds / 1000) };
}
