import type { Construct } from "constructs";
import { graphPeriod, outcomeMetric, stackMetric } from "../alarms/alarm.ts";
import { functionsIn } from "../lambda/paycast-function.ts";
import { type DashboardRow, graph, outcomes } from "./dashboard-row.ts";

export function storefront(scope: Construct): DashboardRow {
  const created = ["Answered", "Created", "ServiceRefused", "ServerFault"];
  const queried = ["Answered", "QueryFailed", "ServerFault"];
  return {
    title: "Storefront",
    text: "Shops create orders and query their status.",
    sections: ["cannot-sell", "failed-queries"],
    graphs: [
      graph("Orders created", ...outcomes(scope, "create-order", ...created)),
      graph("Orders queried", ...outcomes(scope, "query-order", ...queried)),
    ],
  };
}

export function reconciliation(scope: Construct): DashboardRow {
  const queries = ["Asked", "News", "QueryFailed", "ServiceRefused", "UnreadableAnswer"];
  const oldestDue = outcomeMetric(scope, "reconcile-orders", "OldestDueSeconds", {
    statistic: "Maximum",
  });
  return {
    title: "Reconciliation",
    text: "Once a minute, reconcile-orders queries the payment service about orders whose callback is overdue.",
    sections: ["reconciliation-late", "reconciliation-failing"],
    graphs: [
      graph("Queries", ...outcomes(scope, "reconcile-orders", ...queries)),
      graph("Oldest due order, in seconds", oldestDue),
    ],
  };
}

export function functions(scope: Construct): DashboardRow {
  const all = functionsIn(scope);
  const period = graphPeriod;
  const failed = all.map(({ name, lambda }) => lambda.metricErrors({ period, label: name }));
  const throttled = all.map(({ name, lambda }) => lambda.metricThrottles({ period, label: name }));
  return {
    title: "Functions and keys",
    text: "What runs all of this.",
    sections: ["function-errors", "keys"],
    graphs: [
      graph("Crashed or out of time", ...failed),
      graph("Throttled", ...throttled),
      graph("Problems with keys", stackMetric(scope, "KeysProblem").with({ label: "all" })),
    ],
  };
}
