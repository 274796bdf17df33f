import type { Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { addAlarm, outcomeMetric } from "../alarms/alarm.ts";
import { quietShop } from "../alarms/alarm-rules.ts";
import { overMetrics, shareMetric } from "../alarms/expressions.ts";
import type { PaycastApi } from "../api/http-api.ts";
import type { Config } from "../config/config-schema.ts";
import { alarmOnFailing, alarmOnThrottled } from "./route-alarms.ts";

/** Alarms on callbacks that are not stored, are rejected, or do not arrive. */
export function addIntakeAlarms(scope: Construct, config: Config, api: PaycastApi): void {
  alarmOnNotStored(scope, api);
  for (const merchantId of config.merchants) {
    alarmOnRefusals(scope, merchantId);
    // A stack without it queries nothing, so it does not learn that a callback is missing.
    if (config.gateway) {
      alarmOnMissing(scope, merchantId);
      alarmOnLockout(scope, merchantId);
    }
    alarmOnOutdatedKeys(scope, merchantId);
    alarmOnNotDecrypted(scope, merchantId);
  }
  if (config.callbacks.sourceAddresses) alarmOnSources(scope);
}

/** What receive-callback counts, for all merchants or for one. */
function counting(scope: Construct, merchantId?: string): (name: string) => Metric {
  const options = merchantId === undefined ? {} : { merchantId };
  return (name) => outcomeMetric(scope, "receive-callback", name, options);
}

/** From the access log, so that crashes, throttling and missing permissions count too. */
function alarmOnNotStored(scope: Construct, api: PaycastApi): void {
  const kinds = ["all", "succeeded", "failed", "throttled"] as const;
  const counts = api.count("Callback", ["POST /callbacks"], ...kinds);
  alarmOnFailing(scope, {
    id: "Callbacks",
    what: "callbacks returned 5xx",
    ...counts,
    cause:
      "A merchant's keys or the stamp key cannot be read, the inbox did not accept them, or receive-callback crashes or cannot be called. The service retries each up to 8 times in 7 days.",
    command: "requests --route callbacks --answer failed",
    runbook: "callbacks-failing",
  });
  alarmOnThrottled(scope, "callbacks", counts);
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
    meaning: `Three or more callbacks of merchant ${merchantId} were rejected, a quarter or more of all in 15 minutes. ${cause}`,
    ...texts,
  });
  addAlarm(scope, `AllRefusedAlarm-${merchantId}`, {
    metric: overMetrics("IF(accepted == 0, refused, 0)", metrics, `${label}, and none accepted`),
    meaning: `Three or more callbacks of merchant ${merchantId} were rejected in six hours, and none was accepted. ${cause}`,
    ...quietShop,
    ...texts,
  });
}

/**
 * If callbacks are lost outside the stack, no other metric shows it. process-callback counts the ends that it learned,
 * those that a query found first, and the callbacks that tell such an end later (shared/orders/count-end.ts). One alarm
 * per merchant, because the callbacks of one must not hide that those of another do not arrive.
 */
function alarmOnMissing(scope: Construct, merchantId: string): void {
  const metrics = endsOf(scope, merchantId);
  const label = `callbacks of ${merchantId} that are missing`;
  const cause =
    "Queries found the ends of these orders. They cannot find refunds: ask the payment service for those.";
  const texts = { command: "check", runbook: "callbacks-missing" } as const;
  addAlarm(scope, `MissingAlarm-${merchantId}`, {
    metric: shareMetric("callbacks-missing", {
      part: "asked - told",
      whole: "learned",
      metrics,
      label,
    }),
    meaning: `In an hour three or more orders of merchant ${merchantId}, a quarter or more of all, ended without a callback. ${cause}`,
    ...texts,
  });
  addAlarm(scope, `AllMissingAlarm-${merchantId}`, {
    metric: overMetrics(
      "IF((learned == asked) * (told == 0), asked, 0)",
      metrics,
      `${label}, and none arrived`,
    ),
    meaning: `In six hours three or more orders of merchant ${merchantId} ended without a callback, and none with one. ${cause}`,
    ...quietShop,
    ...texts,
  });
}

/** Each line has all three (shared/processing/processing-line.ts). */
function endsOf(scope: Construct, merchantId: string) {
  const count = (name: string) => outcomeMetric(scope, "process-callback", name, { merchantId });
  return { learned: count("EndsLearned"), asked: count("EndsAsked"), told: count("EndsTold") };
}

/** While orders end, somebody sells. If nothing authentic arrives then, the rejected callbacks are not strangers'. */
function alarmOnLockout(scope: Construct, merchantId: string): void {
  const count = counting(scope, merchantId);
  const { asked } = endsOf(scope, merchantId);
  addAlarm(scope, `LockedOutAlarm-${merchantId}`, {
    metric: overMetrics(
      "IF((accepted == 0) * (asked >= 1), refused, 0)",
      { refused: count("NotAuthentic"), accepted: count("Accepted"), asked },
      `callbacks of ${merchantId} rejected while its orders end without one`,
    ),
    meaning: `In an hour three or more callbacks of merchant ${merchantId} were rejected, none was accepted, and a query found the end of an order. The keys or the wire profile are probably wrong, and callbacks are lost: keys check says which.`,
    command: `keys check ${merchantId}`,
    runbook: "callbacks-all-refused",
  });
}

/**
 * A wrong new key goes unnoticed while the previous one verifies; when that one ends, every callback is rejected.
 * Callbacks of a quiet shop arrive hours apart, so a single one that the current keys verify ends the alarm.
 */
function alarmOnOutdatedKeys(scope: Construct, merchantId: string): void {
  const count = counting(scope, merchantId);
  addAlarm(scope, `OutdatedKeysAlarm-${merchantId}`, {
    metric: overMetrics(
      "IF(current == 0, outdated, 0)",
      { outdated: count("OutdatedKeys"), current: count("VerifiedByCurrent") },
      `callbacks of ${merchantId} verified by outdated keys alone`,
    ),
    meaning: `In six hours only the previous keys of merchant ${merchantId} verified callbacks, more than a day after the rotation: the current ones are wrong, and all callbacks are rejected when the previous ones end. check says when.`,
    ...quietShop,
    command: "check",
    runbook: "keys-at-risk",
  });
}

/** One is enough: only the service can sign it, and it is lost when the service gives up. */
function alarmOnNotDecrypted(scope: Construct, merchantId: string): void {
  addAlarm(scope, `NotDecryptedAlarm-${merchantId}`, {
    metric: overMetrics(
      "undecrypted",
      { undecrypted: counting(scope, merchantId)("NotDecrypted") },
      `callbacks of ${merchantId} that verify and do not decrypt`,
    ),
    meaning: `A callback of merchant ${merchantId} has the service's signature, and no key decrypts it: the AES key is wrong. It was not stored. The service retries it up to 8 times in 7 days.`,
    command: `keys check ${merchantId}`,
    runbook: "keys",
  });
}

/**
 * If the service gets new addresses, all its callbacks are rejected, and only a person can distinguish them from
 * strangers'. In six hours, because callbacks of a quiet shop arrive hours apart.
 */
function alarmOnSources(scope: Construct): void {
  const count = counting(scope);
  addAlarm(scope, "SourcesAlarm", {
    metric: shareMetric("callbacks-refused", {
      part: "refused",
      whole: "refused + accepted",
      metrics: { refused: count("SourceNotAllowed"), accepted: count("Accepted") },
      label: "callbacks from other addresses",
    }),
    minutes: quietShop.minutes,
    meaning:
      "In six hours three or more callbacks, a quarter or more of all, arrived from addresses that the config does not allow. The payment service calls from new addresses, or strangers try the URL.",
    command: "requests --route callbacks --answer refused",
    runbook: "callbacks-refused",
  });
}
