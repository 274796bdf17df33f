import type { MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { fewestRefusals, refusedPercent } from "../../shared/receiving/refusals-to-tell.ts";
import { addAlarm, longPeriod, outcomeMetric, shareMetric } from "../alarms/alarm.ts";
import { countUnlessAccepted } from "../alarms/count-unless-accepted.ts";

/** Which refusals an alarm counts, and of which merchant: without one, all callbacks. */
interface Refusals {
  readonly outcome: "NotAuthentic" | "SourceNotAllowed";
  readonly merchantId?: string;
}

/** Count only callbacks that name a configured merchant: a stranger has to know its id to ring one of them. */
export function alarmOnRefusals(scope: Construct, merchantId: string): void {
  const refusals: Refusals = { outcome: "NotAuthentic", merchantId };
  const action = "Check whether the merchant's keys or wire profile changed.";
  addAlarm(scope, `RefusedAlarm-${merchantId}`, {
    metric: shareRefused(scope, refusals, `callbacks of ${merchantId} refused`),
    threshold: refusedPercent,
    meaning: `A quarter or more of the callbacks of merchant ${merchantId} were refused.`,
    action,
    runbook: "callbacks-refused",
  });
  addAlarm(scope, `AllRefusedAlarm-${merchantId}`, {
    metric: refusedAlone(scope, refusals, `callbacks of ${merchantId} refused`),
    threshold: fewestRefusals,
    meaning: `Three or more callbacks of merchant ${merchantId} were refused in six hours, and none was accepted.`,
    action,
    runbook: "callbacks-refused",
  });
}

/** The service may get new addresses. Then all its callbacks are refused, and only a person can tell them from strangers. */
export function alarmOnSources(scope: Construct): void {
  const refusals: Refusals = { outcome: "SourceNotAllowed" };
  const action = "Ask the payment service whether it calls from new addresses.";
  addAlarm(scope, "SourcesAlarm", {
    metric: shareRefused(scope, refusals, "callbacks from other addresses"),
    threshold: 50,
    meaning: "Half or more of the callbacks came from addresses that the config does not allow.",
    action,
    runbook: "unlisted-addresses",
  });
  addAlarm(scope, "AllSourcesAlarm", {
    metric: refusedAlone(scope, refusals, "callbacks from other addresses"),
    threshold: fewestRefusals,
    meaning:
      "Three or more callbacks in six hours came from addresses that the config does not allow, and none was accepted.",
    action,
    runbook: "unlisted-addresses",
  });
}

function shareRefused(scope: Construct, refusals: Refusals, label: string): MathExpression {
  const { outcome, ...ofMerchant } = refusals;
  const count = (name: string) =>
    outcomeMetric(scope, "receive-callback", name, { period: longPeriod, ...ofMerchant });
  return shareMetric({
    part: "FILL(refused, 0)",
    whole: "FILL(refused, 0) + FILL(accepted, 0)",
    metrics: { refused: count(outcome), accepted: count("Accepted") },
    fewest: fewestRefusals,
    label,
  });
}

function refusedAlone(scope: Construct, refusals: Refusals, label: string): MathExpression {
  return countUnlessAccepted(scope, { service: "receive-callback", ...refusals, label });
}
