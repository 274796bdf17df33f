import { alarmRules, type RunbookSection } from "../../infra/alarms/alarm-rules.ts";

/** An alarm, its section of the runbook, which has its severity and its numbers in `alarmRules`, and what it watches. */
type Row = [id: string, section: RunbookSection, watches: string[]];

const counts = (service: string, ...names: string[]) =>
  names.map((name) => `Paycast/${name} Sum of ${service}`);
const functionMetrics = (id: string) =>
  ["Errors", "Throttles"].map((name) => `AWS/Lambda/${name} Sum of ${id}Function`);
const requestMetrics = (name: string) =>
  [name, "Count"].map((one) => `AWS/ApiGateway/${one} Sum of HttpApi`);
const age = (queue: string) => [`AWS/SQS/ApproximateAgeOfOldestMessage Maximum of ${queue}`];
const letters = (queue: string) => [
  `AWS/SQS/ApproximateNumberOfMessagesVisible Maximum of ${queue}DeadLetters`,
];

const ofQueues = (id: string, kind: "inbox" | "subscriber", queue = id): Row[] => [
  [`${id}DeadLettersAlarm`, `${kind}-dead-letters`, letters(queue)],
  [`${id}ExpiringAlarm`, "dead-letters-expiring", age(`${queue}DeadLetters`)],
  [`${id}AgeAlarm`, `${kind}-age`, age(`${queue}Queue`)],
];

const ofStorefront = (service: string, id: string): Row[] => [
  [`StorefrontFaultsAlarm${id}`, "storefront-faults", counts(service, "Answered", "ServerFault")],
  [`StorefrontKeysAlarm${id}`, "keys-problem", counts(service, "KeysProblem")],
];

const functions = [
  "IntakeReceiveCallback",
  "ProcessingProcessCallback",
  "AttentionCountAttention",
  "StorefrontCreateOrder",
  "StorefrontQueryOrder",
  "ReconciliationReconcileOrders",
];

const [receive, process] = ["receive-callback", "process-callback"];
const [create, query, reconcile] = ["create-order", "query-order", "reconcile-orders"];
const sources = counts(receive, "Accepted", "SourceNotAllowed");
const refusals = (merchant: string) => counts(`${merchant} ${receive}`, "Accepted", "NotAuthentic");
const questions = counts(reconcile, "Asked", "QueryFailed", "ServiceRefused", "UnreadableAnswer");
const news = (merchant: string) => [
  ...counts(`${merchant} ${receive}`, "Accepted"),
  ...counts(`${merchant} ${reconcile}`, "News"),
];
const keys = (merchant: string) =>
  counts(`${merchant} ${receive}`, "OutdatedKeys", "VerifiedByCurrent");

/** Every alarm of the sample stack with the options that add alarms. */
export const alarmTable: Row[] = [
  ...ofQueues("Inbox", "inbox", "InboxMessages"),
  ...ofQueues("Subscribersfulfilment", "subscriber"),
  ...ofQueues("Subscribersanalytics", "subscriber"),
  ["IntakeRefusedAlarmM1", "callbacks-refused", refusals("M1")],
  ["IntakeRefusedAlarmM2", "callbacks-refused", refusals("M2")],
  ["IntakeAllRefusedAlarmM1", "callbacks-refused", refusals("M1")],
  ["IntakeAllRefusedAlarmM2", "callbacks-refused", refusals("M2")],
  ["IntakeOutdatedKeysAlarmM1", "callbacks-missing", keys("M1")],
  ["IntakeOutdatedKeysAlarmM2", "callbacks-missing", keys("M2")],
  ["IntakeSourcesAlarm", "unlisted-addresses", sources],
  ["IntakeAllSourcesAlarm", "unlisted-addresses", sources],
  ["IntakeNotStoredAlarm", "callbacks-not-stored", counts(receive, "NotStored")],
  ["IntakeKeysAlarmreceivecallback", "keys-problem", counts(receive, "KeysProblem")],
  ["ProcessingKeysAlarmprocesscallback", "keys-problem", counts(process, "KeysProblem")],
  ["ProcessingStampAlarm", "inbox-dead-letters", counts(process, "StampRefused")],
  ["ProcessingWaitingAlarm", "inbox-age", [`Paycast/WaitingSeconds Maximum of ${process}`]],
  ["ProcessingQuarantinedAlarm", "quarantined-callbacks", counts(process, "Quarantined")],
  ["ProcessingUndeliverableAlarm", "undeliverable-events", counts(process, "Undeliverable")],
  ["ProcessingConflictAlarm", "conflicting-callbacks", counts(process, "Conflict")],
  ["ProcessingMismatchAlarm", "mismatched-amounts", counts(process, "Mismatch")],
  ["ProcessingDuplicatePaymentAlarm", "duplicate-payments", counts(process, "DuplicatePayment")],
  [
    "AttentionNeededAlarm",
    "attention-needed",
    ["Paycast/NeedAttention Maximum of count-attention"],
  ],
  [
    "AttentionSilenceAlarm",
    "attention-unknown",
    ["Paycast/NeedAttention SampleCount of count-attention"],
  ],
  ...ofStorefront(create, "createorder"),
  ...ofStorefront(query, "queryorder"),
  ["StorefrontMismatchAlarm", "mismatched-amounts", counts(create, "Mismatch")],
  ["StorefrontClaimedTwiceAlarm", "payments-claimed-twice", counts(create, "PaymentClaimedTwice")],
  ["StorefrontShortenedNumberAlarm", "shortened-numbers", counts(create, "ShortenedNumber")],
  ["StorefrontRefusedAlarm", "service-refusals", counts(create, "Answered", "ServiceRefused")],
  ["StorefrontQueryFailedAlarm", "failed-queries", counts(query, "QueryFailed")],
  [
    "ReconciliationLateAlarm",
    "reconciliation-late",
    [`Paycast/OldestDueSeconds Maximum of ${reconcile}`],
  ],
  ["ReconciliationFailingAlarm", "reconciliation-failing", questions],
  ["ReconciliationMissingCallbacksAlarmM1", "callbacks-missing", news("M1")],
  ["ReconciliationMissingCallbacksAlarmM2", "callbacks-missing", news("M2")],
  ["ReconciliationUnreadableAlarm", "unreadable-answers", counts(reconcile, "UnreadableAnswer")],
  ["ReconciliationUnresolvedAlarm", "unresolved-orders", counts(reconcile, "Unresolved")],
  ["ReconciliationKeysAlarmreconcileorders", "keys-problem", counts(reconcile, "KeysProblem")],
  ["HttpClientErrorsAlarm", "client-errors", requestMetrics("4xx")],
  ["HttpServerErrorsAlarm", "server-errors", requestMetrics("5xx")],
  ...functions.map((id): Row => [`${id}Errors`, "function-errors", functionMetrics(id)]),
];

/**
 * Those that ring for a shop with few callbacks count longer: three refusals in six hours, and nothing accepted. The
 * config decides how long an event may wait for its subscriber: a quarter of an hour if it says nothing.
 */
export function numbersOf(id: string, section: RunbookSection) {
  const isForQuietShops = /^IntakeAll(Refused|Sources)Alarm/.test(id);
  const rule = isForQuietShops ? { threshold: 3, minutes: 360 } : alarmRules[section];
  const threshold = "threshold" in rule ? rule.threshold : 900;
  return { threshold, periodSeconds: 60 * rule.minutes };
}
