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

/** What metric filters count in the access log has no dimension. */
const requests = (route: string, ...endings: string[]) =>
  endings.map((ending) => `Paycast/${route}Requests${ending} Sum of `);

const ofMerchant = (merchant: string): Row[] => {
  const own = (...names: string[]) => counts(`${merchant} ${receive}`, ...names);
  const refusals = own("Accepted", "NotAuthentic");
  const ends = counts(`${merchant} ${process}`, "EndsAsked", "EndsLearned", "EndsTold");
  const [asked = ""] = ends;
  const sales = counts(`${merchant} ${create}`, "CreationFailures", "Creations");
  return [
    [`IntakeRefusedAlarm${merchant}`, "callbacks-refused", refusals],
    [`IntakeAllRefusedAlarm${merchant}`, "callbacks-refused", refusals],
    [`IntakeMissingAlarm${merchant}`, "callbacks-missing", ends],
    [`IntakeAllMissingAlarm${merchant}`, "callbacks-missing", ends],
    [`IntakeLockedOutAlarm${merchant}`, "callbacks-all-refused", [...refusals, asked]],
    [
      `IntakeOutdatedKeysAlarm${merchant}`,
      "keys-at-risk",
      own("OutdatedKeys", "VerifiedByCurrent"),
    ],
    [`IntakeNotDecryptedAlarm${merchant}`, "keys", own("NotDecrypted")],
    [`KeysAlarm${merchant}`, "keys", [`Paycast/KeysProblem Sum of ${merchant}`]],
    [`StorefrontCannotSellAlarm${merchant}`, "cannot-sell", sales],
    [`StorefrontSoldNothingAlarm${merchant}`, "cannot-sell", sales],
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
  ["IntakeSourcesAlarm", "callbacks-refused", counts(receive, "Accepted", "SourceNotAllowed")],
  ["IntakeCallbacksFailingAlarm", "callbacks-failing", requests("Callback", "Failed", "Succeeded")],
  [
    "IntakeCallbacksAllFailingAlarm",
    "callbacks-failing",
    requests("Callback", "Failed", "Succeeded"),
  ],
  ["IntakeThrottledAlarm", "requests-throttled", requests("Callback", "", "Throttled")],
  ["StampKeyAlarm", "keys", ["Paycast/KeysProblem Sum of "]],
  ["KeysFetchAlarm", "keys-at-risk", ["Paycast/KeysFetchFailingSeconds Maximum of "]],
  [
    "StorefrontCreatingFailingAlarm",
    "cannot-sell",
    requests("Create", "Crashed", "Failed", "Succeeded"),
  ],
  ["StorefrontCreatingAllFailingAlarm", "cannot-sell", requests("Create", "Crashed", "Succeeded")],
  ["StorefrontThrottledAlarm", "requests-throttled", requests("Create", "", "Throttled")],
  ["StorefrontQueriesAlarm", "failed-queries", counts(query, "QueryFailed")],
  ["StorefrontQueriesFailingAlarm", "failed-queries", requests("Query", "Failed")],
  ["SubscribersfulfilmentQueueAlarm", "subscriber-queue", trouble("Subscribersfulfilment")],
  ["SubscribersanalyticsQueueAlarm", "subscriber-queue", trouble("Subscribersanalytics")],
  ["ExpiringAlarm", "dead-letters-expiring", queues.map((queue) => age(`${queue}DeadLetters`))],
  ["ReconciliationLateAlarm", "reconciliation-late", [largest(reconcile, "OldestDueSeconds")]],
  ["ReconciliationFailingAlarm", "reconciliation-failing", questions],
  ["FunctionErrorsAlarm", "function-errors", ofFunctions("Errors")],
  ["ThrottlesAlarm", "function-errors", ofFunctions("Throttles")],
];
