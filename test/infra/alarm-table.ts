const fiveMinutes = 300;
const quarterHour = 900;
const hour = 3600;
const tenDays = 10 * 24 * 3600;

/** Alarm, what it watches, the value at which it rings, its period, its section, and why this number. */
type Row = [
  id: string,
  watches: string[],
  threshold: number,
  periodSeconds: number,
  section: string,
  why: string,
];

const outcome = (service: string, name: string) => [`Paycast/${name} Sum of ${service}`];
const share = (service: string, name: string) =>
  [`Paycast/Answered Sum of ${service}`, `Paycast/${name} Sum of ${service}`].sort();
const age = (queue: string) => [`AWS/SQS/ApproximateAgeOfOldestMessage Maximum of ${queue}`];
const waiting = (queue: string) => [
  `AWS/SQS/ApproximateNumberOfMessagesVisible Maximum of ${queue}`,
];
const requests = (name: string) => [
  `AWS/ApiGateway/${name} Sum of HttpApi`,
  "AWS/ApiGateway/Count Sum of HttpApi",
];

const ofMerchant = (id: string): Row[] => {
  const watches = ["Accepted", "NotAuthentic"].map(
    (name) => `Paycast/${name} Sum of ${id} receive-callback`,
  );
  return [
    [
      `IntakeRefusedAlarm${id}`,
      watches,
      25,
      quarterHour,
      "callbacks-refused",
      "wrong keys refuse all callbacks of a merchant; a forged one among three real ones is a quarter",
    ],
    [
      `IntakeAllRefusedAlarm${id}`,
      watches,
      3,
      6 * hour,
      "callbacks-refused",
      "a shop with an order an hour never has three callbacks in a quarter of an hour",
    ],
  ];
};

const ofQueues = (prefix: string, queue: string, name: string): Row[] => [
  [
    `${prefix}DeadLettersAlarm`,
    waiting(`${queue}DeadLetters`),
    1,
    fiveMinutes,
    `${name}-dead-letters`,
    "each dead letter is a callback or an event that nobody has handled",
  ],
  [
    `${prefix}ExpiringAlarm`,
    age(`${queue}DeadLetters`),
    tenDays,
    fiveMinutes,
    "dead-letters-expiring",
    "SQS deletes after 14 days: four are left to act",
  ],
  [
    `${prefix}AgeAlarm`,
    age(`${queue}Queue`),
    quarterHour,
    fiveMinutes,
    `${name}-age`,
    "a message is taken within seconds, and an event waits at most five minutes for a subscriber",
  ],
];

const ofFunction = (id: string): Row => [
  `${id}Errors`,
  ["Errors", "Throttles"].map((name) => `AWS/Lambda/${name} Sum of ${id}Function`),
  1,
  fiveMinutes,
  "function-errors",
  "an answer such as 503 is no error, so each error is a crash, a timeout or a throttle",
];

const ofStorefront = (service: string, id: string): Row[] => [
  [
    `StorefrontFaultsAlarm${id}`,
    share(service, "ServerFault"),
    25,
    quarterHour,
    "storefront-faults",
    "one failed call of a busy shop wakes nobody, an outage does",
  ],
  [
    `StorefrontKeysAlarm${id}`,
    outcome(service, "KeysProblem"),
    1,
    fiveMinutes,
    "keys-problem",
    "warm instances go on with old keys, so the first sign counts",
  ],
];

const onAny = (id: string, service: string, name: string, section: string): Row => [
  id,
  outcome(service, name),
  1,
  fiveMinutes,
  section,
  "one of these is money or a callback that needs a person",
];

/** Every alarm of the sample stack with the options that add alarms. */
export const alarmTable: Row[] = [
  ...ofQueues("Inbox", "InboxMessages", "inbox"),
  ...ofQueues("Subscribersfulfilment", "Subscribersfulfilment", "subscriber"),
  ...ofQueues("Subscribersanalytics", "Subscribersanalytics", "subscriber"),
  [
    "ProcessingWaitingAlarm",
    ["Paycast/WaitingSeconds Maximum of process-callback"],
    quarterHour,
    fiveMinutes,
    "inbox-age",
    "the same, for messages that SQS leaves out of its age",
  ],
  ...["M1", "M2"].flatMap(ofMerchant),
  [
    "IntakeSourcesAlarm",
    ["Accepted", "SourceNotAllowed"].map((name) => `Paycast/${name} Sum of receive-callback`),
    50,
    quarterHour,
    "unlisted-addresses",
    "new addresses of the service refuse all of its callbacks; strangers come beside accepted ones",
  ],
  [
    "IntakeAllSourcesAlarm",
    ["Accepted", "SourceNotAllowed"].map((name) => `Paycast/${name} Sum of receive-callback`),
    3,
    6 * hour,
    "unlisted-addresses",
    "the same for a shop that never has three callbacks in a quarter of an hour",
  ],
  onAny("IntakeNotStoredAlarm", "receive-callback", "NotStored", "callbacks-not-stored"),
  onAny("IntakeKeysAlarmreceivecallback", "receive-callback", "KeysProblem", "keys-problem"),
  onAny("ProcessingQuarantinedAlarm", "process-callback", "Quarantined", "quarantined-callbacks"),
  [
    "AttentionNeededAlarm",
    ["Paycast/NeedAttention Maximum of count-attention"],
    1,
    fiveMinutes,
    "attention-needed",
    "one thing that needs a person is enough, for as long as it is there",
  ],
  [
    "AttentionSilenceAlarm",
    ["Paycast/NeedAttention SampleCount of count-attention"],
    1,
    quarterHour,
    "attention-unknown",
    "it counts once a minute; fifteen missing counts are no passing fault",
  ],
  onAny(
    "ProcessingUndeliverableAlarm",
    "process-callback",
    "Undeliverable",
    "undeliverable-events",
  ),
  onAny("ProcessingConflictAlarm", "process-callback", "Conflict", "conflicting-callbacks"),
  onAny("ProcessingMismatchAlarm", "process-callback", "Mismatch", "mismatched-amounts"),
  onAny(
    "ProcessingDuplicatePaymentAlarm",
    "process-callback",
    "DuplicatePayment",
    "duplicate-payments",
  ),
  onAny("StorefrontMismatchAlarm", "create-order", "Mismatch", "mismatched-amounts"),
  onAny(
    "StorefrontClaimedTwiceAlarm",
    "create-order",
    "PaymentClaimedTwice",
    "payments-claimed-twice",
  ),
  onAny("StorefrontShortenedNumberAlarm", "create-order", "ShortenedNumber", "shortened-numbers"),
  ...ofStorefront("create-order", "createorder"),
  ...ofStorefront("query-order", "queryorder"),
  [
    "StorefrontRefusedAlarm",
    share("create-order", "ServiceRefused"),
    25,
    quarterHour,
    "service-refusals",
    "single orders are refused now and then, a quarter of them are not",
  ],
  [
    "StorefrontQueryFailedAlarm",
    outcome("query-order", "QueryFailed"),
    3,
    quarterHour,
    "failed-queries",
    "one or two are a slow moment that the next call makes good",
  ],
  [
    "ReconciliationLateAlarm",
    ["Paycast/OldestDueSeconds Maximum of reconcile-orders"],
    hour,
    fiveMinutes,
    "reconciliation-late",
    "a run asks about 150 orders, so an hour late is nine thousand orders, or runs that check nothing",
  ],
  [
    "ReconciliationFailingAlarm",
    ["Asked", "QueryFailed", "ServiceRefused", "UnreadableAnswer"].map(
      (name) => `Paycast/${name} Sum of reconcile-orders`,
    ),
    50,
    hour,
    "reconciliation-failing",
    "single payments are not found now and then, half of them are not; an outage makes it all of them",
  ],
  [
    "ReconciliationMissingCallbacksAlarm",
    ["Paycast/Accepted Sum of receive-callback", "Paycast/News Sum of reconcile-orders"],
    3,
    6 * hour,
    "callbacks-missing",
    "one lost callback is nothing unusual; three without a single one that came are",
  ],
  onAny(
    "ReconciliationUnreadableAlarm",
    "reconcile-orders",
    "UnreadableAnswer",
    "unreadable-answers",
  ),
  onAny("ReconciliationUnresolvedAlarm", "reconcile-orders", "Unresolved", "unresolved-orders"),
  onAny(
    "ReconciliationKeysAlarmreconcileorders",
    "reconcile-orders",
    "KeysProblem",
    "keys-problem",
  ),
  [
    "HttpClientErrorsAlarm",
    requests("4xx"),
    50,
    quarterHour,
    "client-errors",
    "strangers try addresses; more of them than real requests, or a limit, is unusual",
  ],
  [
    "HttpServerErrorsAlarm",
    requests("5xx"),
    25,
    quarterHour,
    "server-errors",
    "as for the functions, with what API Gateway itself failed on",
  ],
  ...[
    "IntakeReceiveCallback",
    "ProcessingProcessCallback",
    "AttentionCountAttention",
    "StorefrontCreateOrder",
    "StorefrontQueryOrder",
    "ReconciliationReconcileOrders",
  ].map(ofFunction),
];
