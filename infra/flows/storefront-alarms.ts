import type { Construct } from "constructs";
import { addAlarm, outcomeMetric } from "../alarms/alarm.ts";
import { overMetrics, shareMetric } from "../alarms/expressions.ts";

/** Alarms on the storefront API and the payment service. alarms/alarm-rules.ts has their thresholds. */
export function addStorefrontAlarms(scope: Construct): void {
  alarmOnSales(scope);
  alarmOnQueries(scope);
}

/** Each failed call writes all three metrics in one line (shared/storefront/storefront-line.ts). */
function alarmOnSales(scope: Construct): void {
  const count = (name: string) => outcomeMetric(scope, "create-order", name);
  const metric = shareMetric("cannot-sell", {
    part: "faults + refused",
    whole: "answered",
    metrics: {
      faults: count("ServerFault"),
      refused: count("ServiceRefused"),
      answered: count("Answered"),
    },
    label: "create-order: failed or refused",
  });
  addAlarm(scope, "CannotSellAlarm", {
    metric,
    meaning:
      "The shop cannot sell: a quarter or more of the orders failed. The payment service rejected them or did not respond, or the keys or the table cannot be used.",
    command: "requests --route create-order",
    runbook: "cannot-sell",
  });
}

function alarmOnQueries(scope: Construct): void {
  const count = (name: string) => outcomeMetric(scope, "query-order", name);
  addAlarm(scope, "QueriesAlarm", {
    metric: overMetrics(
      "failed + faults",
      { failed: count("QueryFailed"), faults: count("ServerFault") },
      "query-order: failed",
    ),
    meaning:
      "Three or more queries about orders failed in 15 minutes: the payment service did not respond, so the shop got the stored status, or query-order itself returned 500 or above.",
    command: "requests --route query-order --answer failed",
    runbook: "failed-queries",
  });
}
