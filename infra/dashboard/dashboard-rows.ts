import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { graphPeriod, outcomeMetric } from "../alarms/alarm.ts";
import type { RunbookSection } from "../alarms/alarm-rules.ts";
import type { Config } from "../config/config-schema.ts";
import type { Inbox } from "../storage/inbox.ts";
import type { Subscribers } from "../storage/subscribers.ts";
import { functions, reconciliation, storefront } from "./dashboard-calls.ts";
import { type DashboardRow, oldest, outcomes, waiting } from "./dashboard-row.ts";

export interface DashboardParts {
  readonly config: Config;
  readonly httpApi: HttpApi;
  readonly inbox: Inbox;
  readonly subscribers: Subscribers;
}

/** The rows in the order in which a callback passes them, then those that only a stack with a gateway has. */
export function rowsOf(scope: Construct, parts: DashboardParts): DashboardRow[] {
  const ofGateway = parts.config.gateway ? [storefront(scope), reconciliation(scope)] : [];
  return [
    callbacksIn(scope, parts),
    inbox(scope, parts),
    processed(scope, parts),
    subscribers(parts),
    deadLetters(scope, parts),
    ...ofGateway,
    functions(scope),
  ];
}

function callbacksIn(scope: Construct, { config, httpApi }: DashboardParts): DashboardRow {
  const ofMerchant = (merchantId: string) =>
    ["Accepted", "NotAuthentic"].map((name) =>
      outcomeMetric(scope, "receive-callback", name, { merchantId }).with({
        label: `${merchantId}: ${name}`,
      }),
    );
  const sums = { statistic: "Sum", period: graphPeriod };
  const received = ["Accepted", "NotAuthentic", "NotAnEnvelope", "TooLarge", "NotStored"];
  const addresses = checkOfAddresses(config);
  return {
    title: "Callbacks in",
    text: "The payment service sends callbacks. Each is stored and acknowledged, or refused.",
    sections: [
      "callbacks-refused",
      ...addresses.sections,
      "callbacks-not-stored",
      "client-errors",
      "server-errors",
    ],
    graphs: [
      {
        title: "Callbacks",
        metrics: outcomes(scope, "receive-callback", ...received, ...addresses.counted),
      },
      { title: "Callbacks by merchant", metrics: config.merchants.flatMap(ofMerchant) },
      {
        title: "Requests to the API, all routes",
        metrics: [
          httpApi.metricCount({ ...sums, label: "all" }),
          httpApi.metricClientError({ ...sums, label: "4xx" }),
          httpApi.metricServerError({ ...sums, label: "5xx" }),
        ],
      },
    ],
  };
}

/** Only a stack with a list of addresses refuses callbacks by their address. */
function checkOfAddresses({ callbacks }: Config): {
  sections: RunbookSection[];
  counted: string[];
} {
  if (callbacks.sourceAddresses === undefined) return { sections: [], counted: [] };
  return { sections: ["unlisted-addresses"], counted: ["SourceNotAllowed"] };
}

function inbox(scope: Construct, parts: DashboardParts): DashboardRow {
  const { queue } = parts.inbox;
  const longestTried = outcomeMetric(scope, "process-callback", "WaitingSeconds", {
    statistic: "Maximum",
  });
  return {
    title: "Inbox",
    text: "What was acknowledged waits here for seconds.",
    sections: ["inbox-age"],
    graphs: [
      { title: "Waiting callbacks", metrics: [waiting(queue, "inbox")] },
      {
        title: "Longest wait, in seconds",
        metrics: [oldest(queue, "not tried"), longestTried.with({ label: "tried and given back" })],
      },
    ],
  };
}

function processed(scope: Construct, { config }: DashboardParts): DashboardRow {
  const endings = ["Published", "KnownFact", "Duplicate", "Resumed", "GivenBack"];
  const flags = ["Conflict", "Mismatch", "DuplicatePayment"];
  const late = outcomeMetric(scope, "create-order", "Mismatch");
  return {
    title: "Processed",
    text: "Each callback changes its order and publishes one event, or repeats what is known.",
    sections: ["conflicting-callbacks", "mismatched-amounts", "duplicate-payments"],
    graphs: [
      { title: "Callbacks by outcome", metrics: outcomes(scope, "process-callback", ...endings) },
      {
        title: "Callbacks that need a look",
        metrics: [
          ...outcomes(scope, "process-callback", ...flags),
          ...(config.gateway ? [late.with({ label: "Mismatch of a linked refund" })] : []),
        ],
      },
    ],
  };
}

function subscribers({ subscribers: { queues } }: DashboardParts): DashboardRow {
  const each = (line: (of: (typeof queues)[number], name: string) => IMetric) =>
    queues.map((one) => line(one, one.subscriber.name));
  return {
    title: "Subscribers",
    text: "Each team reads its own queue.",
    sections: ["subscriber-age", "subscriber-dead-letters"],
    graphs: [
      { title: "Waiting events", metrics: each(({ queue }, name) => waiting(queue, name)) },
      {
        title: "Longest wait, in seconds",
        metrics: each(({ queue }, name) => oldest(queue, name)),
      },
      {
        title: "Dead letters",
        metrics: each((one, name) => waiting(one.deadLetters, name)),
      },
    ],
  };
}

function deadLetters(scope: Construct, parts: DashboardParts): DashboardRow {
  const { inbox, subscribers } = parts;
  return {
    title: "Quarantine and dead letters",
    text: "What could not be understood or delivered waits here for a person.",
    sections: [
      "attention-needed",
      "quarantined-callbacks",
      "undeliverable-events",
      "attention-unknown",
      "inbox-dead-letters",
      "dead-letters-expiring",
    ],
    graphs: [
      {
        title: "Needs a person now",
        metrics: ["NeedAttention", "QuarantinedNow", "UndeliverableNow", "WaitingNow"].map((name) =>
          outcomeMetric(scope, "count-attention", name, { statistic: "Maximum" }),
        ),
      },
      {
        title: "How often it was counted",
        metrics: [
          outcomeMetric(scope, "count-attention", "NeedAttention", { statistic: "SampleCount" }),
        ],
      },
      { title: "Dead letters of the inbox", metrics: [waiting(inbox.deadLetters, "inbox")] },
      {
        title: "New ones",
        metrics: outcomes(scope, "process-callback", "Quarantined", "Undeliverable"),
      },
      {
        title: "Oldest dead letter, in seconds",
        metrics: [
          oldest(inbox.deadLetters, "inbox"),
          ...subscribers.queues.map((one) => oldest(one.deadLetters, one.subscriber.name)),
        ],
      },
    ],
  };
}
