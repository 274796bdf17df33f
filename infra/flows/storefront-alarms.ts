import type { Construct } from "constructs";
import { addAlarm, outcomeMetric } from "../alarms/alarm.ts";
import { quietShop } from "../alarms/alarm-rules.ts";
import { overMetrics, shareMetric } from "../alarms/expressions.ts";
import type { PaycastApi } from "../api/http-api.ts";
import { alarmOnFailing, alarmOnThrottled } from "./route-alarms.ts";

/** The routes of the storefront, by their keys in the access log. */
export const storefrontPaths = {
  create: "/orders",
  // Greedy, because API Gateway decodes the path before it routes, and an order number may contain a slash.
  order: "/orders/{orderNo+}",
  payment: "/payments/{paymentId}",
} as const;

/** Alarms on the storefront API and the payment service. alarms/alarm-rules.ts has their thresholds. */
export function addStorefrontAlarms(
  scope: Construct,
  merchants: readonly string[],
  api: PaycastApi,
): void {
  for (const merchantId of merchants) alarmOnSales(scope, merchantId);
  alarmOnCrashes(scope, api);
  alarmOnQueries(scope, api);
}

/** The first attempt of each order counts, with both metrics (shared/storefront/count-creation.ts). */
function alarmOnSales(scope: Construct, merchantId: string): void {
  const count = (name: string) => outcomeMetric(scope, "create-order", name, { merchantId });
  const metrics = { failed: count("CreationFailures"), all: count("Creations") };
  const label = `orders of ${merchantId} that failed`;
  const cause =
    "The payment service rejected them or did not respond, or the keys or the table cannot be used.";
  const texts = { command: "requests --route create-order", runbook: "cannot-sell" } as const;
  addAlarm(scope, `CannotSellAlarm-${merchantId}`, {
    metric: shareMetric("cannot-sell", { part: "failed", whole: "all", metrics, label }),
    meaning: `Merchant ${merchantId} cannot sell: three or more orders failed, a quarter or more of all in 15 minutes. ${cause}`,
    ...texts,
  });
  addAlarm(scope, `SoldNothingAlarm-${merchantId}`, {
    metric: overMetrics("IF(failed == all, failed, 0)", metrics, `${label}, and none succeeded`),
    meaning: `Merchant ${merchantId} cannot sell: in six hours three or more orders failed, and none succeeded. ${cause}`,
    ...quietShop,
    ...texts,
  });
}

/** create-order counts its own failures. From the access log come those of which it cannot write a line. */
function alarmOnCrashes(scope: Construct, api: PaycastApi): void {
  const kinds = ["all", "succeeded", "failed", "crashed", "throttled"] as const;
  const route = `POST ${storefrontPaths.create}`;
  const { crashed, failed, ...counts } = api.count("Create", [route], ...kinds);
  alarmOnFailing(scope, {
    id: "Creating",
    what: "requests to create orders were not answered by create-order",
    ...counts,
    failed: crashed,
    others: failed,
    cause: "It crashes, takes too long, is throttled, or API Gateway may not call it.",
    command: "check",
    runbook: "cannot-sell",
  });
  alarmOnThrottled(scope, "requests to create orders", counts);
}

/** Two alarms: in one, failures of query-order could hide those of the payment service. */
function alarmOnQueries(scope: Construct, api: PaycastApi): void {
  addAlarm(scope, "QueriesAlarm", {
    metric: overMetrics(
      "failed",
      { failed: outcomeMetric(scope, "query-order", "QueryFailed") },
      "query-order: the payment service did not respond",
    ),
    meaning:
      "Three or more queries about orders failed in 15 minutes: the payment service did not respond, so the shop got the stored status.",
    command: "requests --route query-order --answer failed",
    runbook: "failed-queries",
  });
  const routes = [`GET ${storefrontPaths.order}`, `GET ${storefrontPaths.payment}`];
  addAlarm(scope, "QueriesFailingAlarm", {
    metric: overMetrics(
      "failed",
      { failed: api.count("Query", routes, "failed").failed },
      "queries of the shop: 5xx",
    ),
    meaning:
      "Three or more queries of the shop returned 5xx in 15 minutes: query-order crashes or cannot be called, or the table or the keys cannot be used.",
    command: "requests --route query-order --answer failed",
    runbook: "failed-queries",
  });
}
