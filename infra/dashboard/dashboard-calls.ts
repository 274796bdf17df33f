import type { Construct } from "constructs";
import { graphPeriod, outcomeMetric } from "../alarms/alarm.ts";
import { callsService } from "../config/function-names.ts";
import { PaycastFunction } from "../lambda/paycast-function.ts";
import { type DashboardRow, outcomes } from "./dashboard-row.ts";

export function storefront(scope: Construct): DashboardRow {
  const answers = ["Answered", "ServerFault"];
  const created = outcomes(
    scope,
    "create-order",
    ...answers,
    "Created",
    "ServiceRefused",
    "OutcomeUnknown",
    "PaymentClaimedTwice",
    "ShortenedNumber",
  );
  const queried = outcomes(scope, "query-order", ...answers, "PaymentUnknown", "QueryFailed");
  return {
    title: "Storefront",
    text: "Shops create orders and ask for their status.",
    sections: [
      "storefront-faults",
      "service-refusals",
      "failed-queries",
      "payments-claimed-twice",
      "shortened-numbers",
    ],
    graphs: [
      { title: "Orders created", metrics: created },
      { title: "Orders queried", metrics: queried },
    ],
  };
}

export function reconciliation(scope: Construct): DashboardRow {
  const count = (...names: string[]) => outcomes(scope, "reconcile-orders", ...names);
  const statistic = "Maximum";
  return {
    title: "Reconciliation",
    text: "Once a minute, the payment service is asked about orders whose callback is overdue.",
    sections: [
      "callbacks-missing",
      "reconciliation-late",
      "reconciliation-failing",
      "unreadable-answers",
      "unresolved-orders",
    ],
    graphs: [
      {
        title: "Questions",
        metrics: count("Asked", "News", "QueryFailed", "ServiceRefused", "UnreadableAnswer"),
      },
      {
        title: "Oldest order that is due, in seconds",
        metrics: [outcomeMetric(scope, "reconcile-orders", "OldestDueSeconds", { statistic })],
      },
      { title: "Orders without an end", metrics: count("Unresolved") },
    ],
  };
}

export function functions(scope: Construct): DashboardRow {
  const all = scope.node.findAll().filter((construct) => construct instanceof PaycastFunction);
  const options = { period: graphPeriod };
  const withKeys = all.filter(({ name }) => name === "receive-callback" || callsService(name));
  return {
    title: "Functions and keys",
    text: "What runs all of this.",
    sections: ["function-errors", "keys-problem"],
    graphs: [
      {
        title: "Failed or throttled",
        metrics: all.flatMap(({ name, lambda }) => [
          lambda.metricErrors({ ...options, label: `${name}: failed` }),
          lambda.metricThrottles({ ...options, label: `${name}: throttled` }),
        ]),
      },
      {
        title: "Duration of the slowest hundredth, in milliseconds",
        metrics: all.map(({ name, lambda }) =>
          lambda.metricDuration({ ...options, statistic: "p99", label: name }),
        ),
      },
      {
        title: "Problems with keys",
        metrics: withKeys.map(({ name }) =>
          outcomeMetric(scope, name, "KeysProblem").with({ label: name }),
        ),
      },
    ],
  };
}
