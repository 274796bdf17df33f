import type { RunbookSection } from "../../infra/alarms/alarm-rules.ts";

/** An alarm, its section of the runbook, which has its severity and its numbers, and what it watches. */
type Row = [id: string, section: RunbookSection, watches: string[]];

const counts = (service: string, ...names: string[]) =>
  names.map((name) => `Paycast/${name} Sum of ${service}`);
const largest = (service: string, name: string) => `Paycast/${name} Maximum of ${service}`;
const age = (queue: string) => `AWS/SQS/ApproximateAgeOfOldestMessage Maximum of ${queue}`;
const letters = (queue: string) =>
  `AWS/SQS/ApproximateNumberOfMessagesVisible Maximum of ${queue}DeadLetters`;
const trouble = (queue: string) => [age(`${queue}Queue`), letters(queue)];

const functions = [
  "AttentionCountAttention",
  "IntakeReceiveCallback",
  "ProcessingProcessCallback",
  "ReconciliationReconcileOrders",
  "StorefrontCreateOrder",
  "StorefrontQueryOrder",
];
const ofFunctions = (name: string) =>
  functions.map((id) => `AWS/Lambda/${name} Sum of ${id}Function`);

const [receive, process, attention] = ["receive-callback", "process-callback", "count-attention"];
const [create, query, reconcile] = ["create-order", "query-order", "reconcile-orders"];
const questions = counts(reconcile, "Asked", "QueryFailed", "ServiceRefused", "UnreadableAnswer");
const queues = ["InboxMessages", "Subscribersanalytics", "Subscribersfulfilment"];

const ofMerchant = (merchant: string): Row[] => {
  const own = (...names: string[]) => counts(`${merchant} ${receive}`, ...names);
  const refusals = own("Accepted", "NotAuthentic");
  const signs = own("Accepted", "MissingCallback", "OutdatedKeys", "VerifiedByCurrent");
  return [
    [`IntakeRefusedAlarm${merchant}`, "callbacks-refused", refusals],
    [`IntakeAllRefusedAlarm${merchant}`, "callbacks-refused", refusals],
    [`IntakeMissingAlarm${merchant}`, "callbacks-missing", signs],
  ];
};

/** Every alarm of a stack with two merchants, two subscribers and the options that add alarms. */
export const alarmTable: Row[] = [
  ["AttentionNewAlarm", "attention-new", [largest(attention, "NewAttention")]],
  ["AttentionNeededAlarm", "attention-needed", [largest(attention, "NeedAttention")]],
  [
    "AttentionSilenceAlarm",
    "attention-unknown",
    ["Paycast/NeedAttention SampleCount of count-attention"],
  ],
  ["InboxQueueAlarm", "inbox", trouble("InboxMessages")],
  [
    "ProcessingTriedAlarm",
    "inbox",
    [...counts(process, "StampRefused"), largest(process, "WaitingSeconds")],
  ],
  ...ofMerchant("M1"),
  ...ofMerchant("M2"),
  ["IntakeSourcesAlarm", "callbacks-missing", counts(receive, "Accepted", "SourceNotAllowed")],
  ["IntakeNotStoredAlarm", "server-errors", counts(receive, "Accepted", "NotStored")],
  [
    "HttpServerErrorsAlarm",
    "server-errors",
    ["5xx", "Count"].map((name) => `AWS/ApiGateway/${name} Sum of HttpApi`),
  ],
  ["KeysAlarm", "keys", ["Paycast/KeysProblem Sum of "]],
  [
    "StorefrontCannotSellAlarm",
    "cannot-sell",
    counts(create, "Answered", "ServerFault", "ServiceRefused"),
  ],
  ["StorefrontQueriesAlarm", "failed-queries", counts(query, "QueryFailed", "ServerFault")],
  ["SubscribersfulfilmentQueueAlarm", "subscriber-queue", trouble("Subscribersfulfilment")],
  ["SubscribersanalyticsQueueAlarm", "subscriber-queue", trouble("Subscribersanalytics")],
  ["ExpiringAlarm", "dead-letters-expiring", queues.map((queue) => age(`${queue}DeadLetters`))],
  ["ReconciliationLateAlarm", "reconciliation-late", [largest(reconcile, "OldestDueSeconds")]],
  ["ReconciliationFailingAlarm", "reconciliation-failing", questions],
  ["FunctionErrorsAlarm", "function-errors", ofFunctions("Errors")],
  ["ThrottlesAlarm", "function-errors", ofFunctions("Throttles")],
];
