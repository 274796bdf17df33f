import type { Construct } from "constructs";
import { graphPeriod, outcomeMetric } from "../alarms/alarm.ts";
import type { Config } from "../config/config-schema.ts";
import { functionsIn } from "../lambda/paycast-function.ts";
import { type DashboardRow, graph, outcomes, outcomesByMerchant } from "./dashboard-row.ts";

export function storefront(scope: Construct): DashboardRow {
  const answers = ["Answered", "ServerFault"];
  const created = ["Created", "ServiceRefused", "OutcomeUnknown"];
  const odd = ["PaymentClaimedTwice", "ShortenedNumber"];
  const queried = ["PaymentUnknown", "QueryFailed"];
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
      graph("Orders created", ...outcomes(scope, "create-order", ...answers, ...created, ...odd)),
      graph("Orders queried", ...outcomes(scope, "query-order", ...answers, ...queried)),
    ],
  };
}

export function reconciliation(scope: Construct, { merchants }: Config): DashboardRow {
  const count = (...names: string[]) => outcomes(scope, "reconcile-orders", ...names);
  const questions = ["Asked", "News", "QueryFailed", "ServiceRefused", "UnreadableAnswer"];
  const oldestDue = outcomeMetric(scope, "reconcile-orders", "OldestDueSeconds", {
    statistic: "Maximum",
  });
  return {
    title: "Reconciliation",
    text: "Once a minute, the payment service is asked about orders whose callback is overdue.",
    sections: [
      "reconciliation-late",
      "reconciliation-failing",
      "unreadable-answers",
      "unresolved-orders",
    ],
    graphs: [
      graph("Questions", ...count(...questions)),
      graph(
        "News by merchant",
        ...outcomesByMerchant(scope, "reconcile-orders", merchants, "News"),
      ),
      graph("Oldest order that is due, in seconds", oldestDue),
      graph("Orders without an end", ...count("Unresolved")),
    ],
  };
}

export function functions(scope: Construct): DashboardRow {
  const all = functionsIn(scope);
  const options = { period: graphPeriod };
  const withKeys = all.filter(({ name }) => name !== "count-attention");
  const failures = all.flatMap(({ name, lambda }) => [
    lambda.metricErrors({ ...options, label: `${name}: failed` }),
    lambda.metricThrottles({ ...options, label: `${name}: throttled` }),
  ]);
  const durations = all.map(({ name, lambda }) =>
    lambda.metricDuration({ ...options, statistic: "p99", label: name }),
  );
  const problems = withKeys.map(({ name }) =>
    outcomeMetric(scope, name, "KeysProblem").with({ label: name }),
  );
  return {
    title: "Functions and keys",
    text: "What runs all of this.",
    sections: ["function-errors", "keys-problem"],
    graphs: [
      graph("Failed or throttled", ...failures),
      graph("Duration of the slowest hundredth, in milliseconds", ...durations),
      graph("Problems with keys", ...problems),
    ],
  };
}
