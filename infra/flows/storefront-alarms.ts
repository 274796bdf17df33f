import type { Construct } from "constructs";
import {
  type AlarmTexts,
  addAlarm,
  alarmOnAny,
  alarmOnKeys,
  outcomeMetric,
  shareMetric,
} from "../alarms/alarm.ts";
import type { FunctionName } from "../config/function-names.ts";

/** Alarms on the storefront's answers and on the payment service. Their thresholds are in alarms/alarm-rules.ts. */
export function addStorefrontAlarms(scope: Construct): void {
  for (const service of ["create-order", "query-order"] as const) {
    alarmOnShare(scope, `FaultsAlarm-${service}`, service, "ServerFault", {
      meaning: `A quarter or more of the answers of ${service} had a status of 500 or above.`,
      action: "Read the reasons in its log: the payment service, the keys or the table.",
      runbook: "storefront-faults",
    });
    alarmOnKeys(scope, service);
  }
  alarmOnShare(scope, "RefusedAlarm", "create-order", "ServiceRefused", {
    meaning: "The payment service refused a quarter or more of the orders.",
    action: "Read the service's code in the log, and check the request keys.",
    runbook: "service-refusals",
  });
  // A count, not a share: most answers come from the table and would hide a service that is down.
  alarmOnAny(scope, "QueryFailedAlarm", "query-order", "QueryFailed", {
    meaning: "The payment service did not answer three queries in a quarter of an hour.",
    action: "Check whether the service is up; callers get the stored status meanwhile.",
    runbook: "failed-queries",
  });
  alarmOnAny(scope, "MismatchAlarm", "create-order", "Mismatch", {
    meaning: "A refund that came before its order was linked does not fit the order.",
    action: "Compare the refund with what was paid, and ask the payment service.",
    runbook: "mismatched-amounts",
  });
  alarmOnAny(scope, "ClaimedTwiceAlarm", "create-order", "PaymentClaimedTwice", {
    meaning: "The payment service gave two orders the same payment id.",
    action: "Ask the payment service which order the payment belongs to.",
    runbook: "payments-claimed-twice",
  });
  alarmOnAny(scope, "ShortenedNumberAlarm", "create-order", "ShortenedNumber", {
    meaning: "The payment service shortens order numbers, so its callbacks will name other orders.",
    action: "Set gateway.shortOrderNumbers in the config, and look at the orders with the flag.",
    runbook: "shortened-numbers",
  });
}

/** A quarter of the calls: one failed call of a busy shop does not trigger the alarm, an outage does. */
function alarmOnShare(
  scope: Construct,
  id: string,
  service: FunctionName,
  outcome: string,
  texts: AlarmTexts & { runbook: "storefront-faults" | "service-refusals" },
): void {
  const count = (name: string) => outcomeMetric(scope, service, name);
  const metric = shareMetric({
    part: "FILL(failed, 0)",
    whole: "FILL(answered, 0)",
    metrics: { failed: count(outcome), answered: count("Answered") },
    runbook: texts.runbook,
    label: `${service}: ${outcome}`,
  });
  addAlarm(scope, id, { metric, ...texts });
}
