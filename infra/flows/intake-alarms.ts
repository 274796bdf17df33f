import type { Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { addAlarm, outcomeMetric } from "../alarms/alarm.ts";
import { refusedAlone, unlistedShare } from "../alarms/alarm-rules.ts";
import { overMetrics, shareMetric, shareOf } from "../alarms/expressions.ts";
import type { Config } from "../config/config-schema.ts";

/** Alarms on callbacks that are not stored, are rejected, or do not arrive. */
export function addIntakeAlarms(scope: Construct, config: Config): void {
  alarmOnNotStored(scope);
  for (const merchantId of config.merchants) {
    alarmOnRefusals(scope, merchantId);
    alarmOnMissing(scope, merchantId);
  }
  if (config.callbacks.sourceAddresses) alarmOnSources(scope);
}

/**
 * The metrics with the service receive-callback, for all merchants or for one. receive-callback counts them, except
 * `MissingCallback`: reconcile-orders counts it under this name (shared/reconciling/run-line.ts).
 */
function counting(scope: Construct, merchantId?: string): (name: string) => Metric {
  const options = merchantId === undefined ? {} : { merchantId };
  return (name) => outcomeMetric(scope, "receive-callback", name, options);
}

function alarmOnNotStored(scope: Construct): void {
  const count = counting(scope);
  addAlarm(scope, "NotStoredAlarm", {
    metric: shareMetric("server-errors", {
      part: "failed",
      whole: "failed + accepted",
      metrics: { failed: count("NotStored"), accepted: count("Accepted") },
      label: "callbacks that returned 503",
    }),
    meaning:
      "A quarter or more of the callbacks returned 503: a merchant's keys or the stamp key cannot be read, or the inbox did not accept them. The service retries them up to 8 times in 7 days.",
    command: "requests --route callbacks --answer failed",
    runbook: "server-errors",
  });
}

/**
 * Only callbacks that name a configured merchant count, so a stranger must know its id to cause an alarm. Each refusal
 * also writes a 0 for `Accepted` (shared/receiving/callback-line.ts).
 */
function alarmOnRefusals(scope: Construct, merchantId: string): void {
  const count = counting(scope, merchantId);
  const metrics = { refused: count("NotAuthentic"), accepted: count("Accepted") };
  const label = `callbacks of ${merchantId} rejected`;
  const cause =
    "The keys or the wire profile are wrong, or callbacks are forged: keys check says which.";
  const texts = { command: `keys check ${merchantId}`, runbook: "callbacks-refused" } as const;
  addAlarm(scope, `RefusedAlarm-${merchantId}`, {
    metric: shareMetric("callbacks-refused", {
      part: "refused",
      whole: "refused + accepted",
      metrics,
      label,
    }),
    meaning: `A quarter or more of the callbacks of merchant ${merchantId} were rejected. ${cause}`,
    ...texts,
  });
  addAlarm(scope, `AllRefusedAlarm-${merchantId}`, {
    metric: overMetrics("IF(accepted == 0, refused, 0)", metrics, `${label}, and none accepted`),
    meaning: `Three or more callbacks of merchant ${merchantId} were rejected in six hours, and none was accepted. ${cause}`,
    ...refusedAlone,
    ...texts,
  });
}

/**
 * If callbacks are lost outside the stack, no other metric shows it. A wrong new key goes unnoticed while the previous
 * one verifies; when that one ends, every callback is rejected. One alarm per merchant, because the callbacks of one
 * must not hide that those of another do not arrive. Callbacks of a quiet shop arrive hours apart, so a single good one
 * ends the alarm.
 */
function alarmOnMissing(scope: Construct, merchantId: string): void {
  const count = counting(scope, merchantId);
  const metrics = {
    missing: count("MissingCallback"),
    accepted: count("Accepted"),
    outdated: count("OutdatedKeys"),
    current: count("VerifiedByCurrent"),
  };
  addAlarm(scope, `MissingAlarm-${merchantId}`, {
    metric: overMetrics(
      "IF(accepted == 0, missing, 0) + IF(current == 0, outdated, 0)",
      metrics,
      `callbacks of ${merchantId} that are missing, or verified by outdated keys alone`,
    ),
    meaning:
      `In six hours, three or more orders of merchant ${merchantId} ended without a callback, and none was accepted. Or only its previous keys verified callbacks, ` +
      "more than a day after the rotation: the current ones are wrong, and all callbacks are rejected when the previous ones end. check says when.",
    command: "check",
    runbook: "callbacks-missing",
  });
}

/**
 * If the service gets new addresses, all its callbacks are rejected, and only a person can distinguish them from
 * strangers'.
 */
function alarmOnSources(scope: Construct): void {
  const count = counting(scope);
  addAlarm(scope, "SourcesAlarm", {
    metric: shareOf({
      part: "refused",
      whole: "refused + accepted",
      metrics: { refused: count("SourceNotAllowed"), accepted: count("Accepted") },
      fewest: unlistedShare.fewest,
      label: "callbacks from other addresses",
    }),
    threshold: unlistedShare.percent,
    meaning:
      "In six hours, half or more of the callbacks arrived from addresses that the config does not allow. The payment service calls from new addresses, or strangers try the URL.",
    command: "requests --route callbacks --answer refused",
    runbook: "callbacks-missing",
  });
}
