import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { graphPeriod, outcomeMetric, stackMetric } from "../alarms/alarm.ts";
import type { Config } from "../config/config-schema.ts";
import { functionsIn } from "../lambda/paycast-function.ts";
import type { Inbox } from "../storage/inbox.ts";
import type { Subscribers } from "../storage/subscribers.ts";
import {
  type DashboardRow,
  graph,
  oldest,
  outcomes,
  outcomesByMerchant,
  waiting,
} from "./dashboard-row.ts";

export interface DashboardParts {
  readonly config: Config;
  readonly httpApi: HttpApi;
  readonly inbox: Inbox;
  readonly subscribers: Subscribers;
}

/** The rows in the order of a callback's path, then the rows that need a gateway. */
export function rowsOf(scope: Construct, parts: DashboardParts): DashboardRow[] {
  const ofGateway = parts.config.gateway ? [storefront(scope, parts), reconciliation(scope)] : [];
  return [
    callbacksIn(scope, parts),
    processing(scope, parts),
    subscribers(parts),
    attention(scope),
    ...ofGateway,
    functions(scope, parts),
  ];
}

function callbacksIn(scope: Construct, { config, httpApi }: DashboardParts): DashboardRow {
  const { merchants, callbacks } = config;
  const ofMerchants = (...names: string[]) =>
    outcomesByMerchant(scope, "receive-callback", merchants, ...names);
  const sums = { statistic: "Sum", period: graphPeriod };
  // Only a stack that queries the payment service learns that a callback is missing.
  const missing = config.gateway ? (["callbacks-missing", "callbacks-all-refused"] as const) : [];
  // Only a stack with a list of addresses rejects callbacks by address.
  const byAddress = callbacks.sourceAddresses === undefined ? [] : ["SourceNotAllowed"];
  const received = ["Accepted", "NotAuthentic", ...byAddress, "NotStored"];
  const signs = ["VerifiedByCurrent", "OutdatedKeys", "NotDecrypted"];
  const ends = outcomesByMerchant(
    scope,
    "process-callback",
    merchants,
    "EndsLearned",
    "EndsAsked",
    "EndsTold",
  );
  return {
    title: "Callbacks in",
    text: "The payment service sends callbacks. Each is stored and acknowledged, or rejected.",
    sections: ["callbacks-failing", "callbacks-refused", ...missing, "requests-throttled"],
    graphs: [
      graph("Callbacks", ...outcomes(scope, "receive-callback", ...received)),
      graph("Callbacks by merchant", ...ofMerchants("Accepted", "NotAuthentic")),
      graph(
        "Callbacks, as API Gateway answered them",
        ...answered(scope, "Callback", routeEndings),
      ),
      graph("Keys of the callbacks", ...ofMerchants(...signs)),
      ...(config.gateway
        ? [graph("Ends of orders: all, found by a query first, told later by a callback", ...ends)]
        : []),
      graph(
        "Requests to the API, all routes",
        httpApi.metricCount({ ...sums, label: "all" }),
        httpApi.metricClientError({ ...sums, label: "4xx" }),
        httpApi.metricServerError({ ...sums, label: "5xx" }),
      ),
    ],
  };
}

const routeEndings = ["Requests", "RequestsSucceeded", "RequestsFailed", "RequestsThrottled"];

/** What metric filters count in the access log (api/route-counts.ts). */
function answered(scope: Construct, route: string, endings: readonly string[]): IMetric[] {
  return endings.map((ending) => stackMetric(scope, `${route}${ending}`).with({ label: ending }));
}

function processing(scope: Construct, { inbox }: DashboardParts): DashboardRow {
  const endings = ["Published", "KnownFact", "Duplicate", "GivenBack"];
  const longestTried = outcomeMetric(scope, "process-callback", "WaitingSeconds", {
    statistic: "Maximum",
  }).with({ label: "tried and returned" });
  return {
    title: "Inbox and processing",
    text: "An acknowledged callback waits for seconds. Then it publishes one event, or it is a duplicate.",
    sections: ["inbox"],
    graphs: [
      graph("Longest wait, in seconds", oldest(inbox.queue, "not tried"), longestTried),
      graph("Callbacks by outcome", ...outcomes(scope, "process-callback", ...endings)),
      graph(
        "Dead letters of the inbox, and messages without a stamp",
        waiting(inbox.deadLetters, "dead letters"),
        ...outcomes(scope, "process-callback", "StampRefused"),
      ),
    ],
  };
}

function subscribers({ inbox, subscribers: { queues } }: DashboardParts): DashboardRow {
  const each = (line: (of: (typeof queues)[number], name: string) => IMetric) =>
    queues.map((queue) => line(queue, queue.subscriber.name));
  return {
    title: "Subscribers",
    text: "Each team reads its own queue.",
    sections: ["subscriber-queue", "dead-letters-expiring"],
    graphs: [
      graph("Longest wait, in seconds", ...each(({ queue }, name) => oldest(queue, name))),
      graph("Dead letters", ...each(({ deadLetters }, name) => waiting(deadLetters, name))),
      graph(
        "Oldest dead-letter message, in seconds",
        oldest(inbox.deadLetters, "inbox"),
        ...each(({ deadLetters }, name) => oldest(deadLetters, name)),
      ),
    ],
  };
}

function attention(scope: Construct): DashboardRow {
  const counted = (name: string, statistic: string) =>
    outcomeMetric(scope, "count-attention", name, { statistic });
  return {
    title: "Attention",
    text: "Items that the stack cannot resolve by itself.",
    sections: ["attention-new", "attention-needed", "attention-unknown"],
    graphs: [
      graph(
        "Needs attention",
        counted("NeedAttention", "Maximum"),
        counted("NewAttention", "Maximum"),
      ),
      graph("How often it was counted", counted("NeedAttention", "SampleCount")),
    ],
  };
}

function storefront(scope: Construct, { config }: DashboardParts): DashboardRow {
  const sales = ["Creations", "CreationFailures"];
  const ofCreate = [...routeEndings, "RequestsCrashed"];
  const orders = outcomesByMerchant(scope, "create-order", config.merchants, ...sales);
  const created = ["Answered", "Created", "ServiceRefused", "CallerRefused", "ServerFault"];
  const queried = ["Answered", "QueryFailed", "ServerFault"];
  return {
    title: "Storefront",
    text: "Shops create orders and query their status.",
    sections: ["cannot-sell", "failed-queries"],
    graphs: [
      graph("Orders created", ...outcomes(scope, "create-order", ...created)),
      graph("Orders by merchant, at their first attempt", ...orders),
      graph("Orders created, as API Gateway answered", ...answered(scope, "Create", ofCreate)),
      graph(
        "Orders queried",
        ...outcomes(scope, "query-order", ...queried),
        ...answered(scope, "Query", ["RequestsFailed"]),
      ),
    ],
  };
}

function reconciliation(scope: Construct): DashboardRow {
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

function functions(scope: Construct, { config }: DashboardParts): DashboardRow {
  const ofMerchants = config.merchants.map((merchantId) =>
    stackMetric(scope, "KeysProblem", { merchantId }).with({ label: merchantId }),
  );
  const ofStamps = stackMetric(scope, "KeysProblem").with({ label: "stamp key" });
  const all = functionsIn(scope);
  const period = graphPeriod;
  const failed = all.map(({ name, lambda }) => lambda.metricErrors({ period, label: name }));
  const throttled = all.map(({ name, lambda }) => lambda.metricThrottles({ period, label: name }));
  return {
    title: "Functions and keys",
    text: "What runs all of this.",
    sections: ["function-errors", "keys", "keys-at-risk"],
    graphs: [
      graph("Crashed or out of time", ...failed),
      graph("Throttled", ...throttled),
      graph("Problems with keys", ...ofMerchants, ofStamps),
      graph(
        "How long a fetch of keys has failed while others serve, in seconds",
        stackMetric(scope, "KeysFetchFailingSeconds", { statistic: "Maximum" }),
      ),
    ],
  };
}
