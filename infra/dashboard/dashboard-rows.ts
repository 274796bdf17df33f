import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { graphPeriod, outcomeMetric } from "../alarms/alarm.ts";
import type { RunbookSection } from "../alarms/alarm-rules.ts";
import type { Config } from "../config/config-schema.ts";
import type { Inbox } from "../storage/inbox.ts";
import type { Subscribers } from "../storage/subscribers.ts";
import { functions, reconciliation, storefront } from "./dashboard-calls.ts";
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

/** The rows in the order in which a callback passes them, then those that only a stack with a gateway has. */
export function rowsOf(scope: Construct, parts: DashboardParts): DashboardRow[] {
  const ofGateway = parts.config.gateway
    ? [storefront(scope), reconciliation(scope, parts.config)]
    : [];
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
  const ofMerchants = (...names: string[]) =>
    outcomesByMerchant(scope, "receive-callback", config.merchants, ...names);
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
      "callbacks-missing",
      "client-errors",
      "server-errors",
    ],
    graphs: [
      graph("Callbacks", ...outcomes(scope, "receive-callback", ...received, ...addresses.counted)),
      graph("Callbacks by merchant", ...ofMerchants("Accepted", "NotAuthentic")),
      graph("Keys of the callbacks", ...ofMerchants("VerifiedByCurrent", "OutdatedKeys")),
      graph(
        "Requests to the API, all routes",
        httpApi.metricCount({ ...sums, label: "all" }),
        httpApi.metricClientError({ ...sums, label: "4xx" }),
        httpApi.metricServerError({ ...sums, label: "5xx" }),
      ),
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
  }).with({ label: "tried and given back" });
  return {
    title: "Inbox",
    text: "What was acknowledged waits here for seconds.",
    sections: ["inbox-age"],
    graphs: [
      graph("Waiting callbacks", waiting(queue, "inbox")),
      graph("Longest wait, in seconds", oldest(queue, "not tried"), longestTried),
    ],
  };
}

function processed(scope: Construct, { config }: DashboardParts): DashboardRow {
  const endings = ["Published", "KnownFact", "Duplicate", "Resumed", "Restored", "GivenBack"];
  const flags = ["Conflict", "Mismatch", "DuplicatePayment", "Refunded"];
  const late = outcomeMetric(scope, "create-order", "Mismatch");
  const lateMismatch = config.gateway ? [late.with({ label: "Mismatch of a linked refund" })] : [];
  const flagged = outcomes(scope, "process-callback", ...flags);
  return {
    title: "Processed",
    text: "Each callback changes its order and publishes one event, or repeats what is known.",
    sections: ["conflicting-callbacks", "mismatched-amounts", "duplicate-payments"],
    graphs: [
      graph("Callbacks by outcome", ...outcomes(scope, "process-callback", ...endings)),
      graph("Callbacks that need a look", ...flagged, ...lateMismatch),
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
      graph("Waiting events", ...each(({ queue }, name) => waiting(queue, name))),
      graph("Longest wait, in seconds", ...each(({ queue }, name) => oldest(queue, name))),
      graph("Dead letters", ...each(({ deadLetters }, name) => waiting(deadLetters, name))),
    ],
  };
}

function deadLetters(scope: Construct, parts: DashboardParts): DashboardRow {
  const { inbox, subscribers } = parts;
  const added = ["Quarantined", "Undeliverable", "StampRefused"];
  const now = ["NeedAttention", "NewAttention"];
  const counted = (name: string, statistic: string) =>
    outcomeMetric(scope, "count-attention", name, { statistic });
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
      graph("Needs a person now", ...now.map((name) => counted(name, "Maximum"))),
      graph("How often it was counted", counted("NeedAttention", "SampleCount")),
      graph("Dead letters of the inbox", waiting(inbox.deadLetters, "inbox")),
      graph("New ones", ...outcomes(scope, "process-callback", ...added)),
      graph(
        "Oldest dead letter, in seconds",
        oldest(inbox.deadLetters, "inbox"),
        ...subscribers.queues.map((one) => oldest(one.deadLetters, one.subscriber.name)),
      ),
    ],
  };
}
