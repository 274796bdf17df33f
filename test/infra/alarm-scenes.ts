import type { WrittenMetric } from "../../tools/local/alarms/read-embedded-metrics.ts";
import {
  accepted,
  attention,
  aws,
  createFailed,
  createRefused,
  createWithoutTable,
  endByQuery,
  fetchFailing,
  forged,
  fromElsewhere,
  givenBack,
  invoked,
  type Kind,
  keysProblem,
  notDecrypted,
  noticeNotWritten,
  notStored,
  outdatedKeys,
  queryUnanswered,
  ran,
  requested,
  stampKeyProblem,
  withoutStamp,
} from "./alarm-causes.ts";

/** Something that goes wrong, and the alarms that ring then and no others. */
export interface Scene {
  readonly cause: string;
  /** What is written each time it happens. */
  readonly fails: () => Promise<WrittenMetric[]> | WrittenMetric[];
  /** The requests that can fail in this way. When the cause is total, none of them is healthy. */
  readonly own: readonly Kind[];
  /** The alarms that ring when all fail. */
  readonly rings: readonly string[];
  /** Those that ring when a third of them fails, if they are others. */
  readonly ringsForThird?: readonly string[];
  /** Of a share: then one failure rings none of its alarms. */
  readonly isShare?: boolean;
}

const allOf = async (...parts: readonly (Promise<WrittenMetric[]> | WrittenMetric[])[]) =>
  (await Promise.all(parts)).flat();
const callbackRoute: readonly Kind[] = ["callbacks", "callbacksOfOther"];
const orderRoute: readonly Kind[] = ["orders", "ordersOfOther"];
const callback = (status: number, functionStatus?: number | "none") =>
  requested("POST /callbacks", status, functionStatus);
const order = (status: number, functionStatus?: number | "none") =>
  requested("POST /orders", status, functionStatus);
const [failing, allFailing] = ["IntakeCallbacksFailingAlarm", "IntakeCallbacksAllFailingAlarm"];
const [creating, allCreating] = [
  "StorefrontCreatingFailingAlarm",
  "StorefrontCreatingAllFailingAlarm",
];
const [cannotSell, soldNothing] = ["StorefrontCannotSellAlarmM1", "StorefrontSoldNothingAlarmM1"];

const callbacks: Scene[] = [
  {
    cause: "SQS accepts no callback",
    fails: () => allOf(callback(503), notStored()),
    own: callbackRoute,
    rings: [failing, allFailing],
    ringsForThird: [failing],
    isShare: true,
  },
  {
    cause: "API Gateway may not call receive-callback",
    fails: () => callback(500, "none"),
    own: callbackRoute,
    rings: [failing, allFailing],
    ringsForThird: [failing],
    isShare: true,
  },
  {
    cause: "receive-callback crashes",
    fails: () => allOf(callback(500, "none"), invoked("IntakeReceiveCallbackFunction", "failed")),
    own: callbackRoute,
    rings: [failing, allFailing, "FunctionErrorsAlarm"],
    ringsForThird: [failing, "FunctionErrorsAlarm"],
  },
  {
    cause: "Lambda throttles receive-callback",
    fails: () =>
      allOf(callback(503, "none"), invoked("IntakeReceiveCallbackFunction", "throttled")),
    own: callbackRoute,
    rings: [failing, allFailing, "ThrottlesAlarm"],
    ringsForThird: [failing, "ThrottlesAlarm"],
  },
  {
    cause: "API Gateway throttles callbacks",
    fails: () => callback(429, "none"),
    own: [...callbackRoute, "strangers"],
    rings: ["IntakeThrottledAlarm"],
    isShare: true,
  },
  {
    cause: "callbacks of a merchant are not authentic",
    fails: () => allOf(callback(401), forged()),
    own: ["callbacks"],
    rings: ["IntakeRefusedAlarmM1", "IntakeAllRefusedAlarmM1"],
    ringsForThird: ["IntakeRefusedAlarmM1"],
    isShare: true,
  },
  {
    cause: "the callback keys of a merchant are wrong",
    fails: () => allOf(callback(401), forged(), endByQuery()),
    own: ["callbacks"],
    rings: [
      "IntakeRefusedAlarmM1",
      "IntakeAllRefusedAlarmM1",
      "IntakeLockedOutAlarmM1",
      "IntakeMissingAlarmM1",
      "IntakeAllMissingAlarmM1",
    ],
    ringsForThird: ["IntakeRefusedAlarmM1", "IntakeMissingAlarmM1"],
    isShare: true,
  },
  {
    cause: "callbacks are throttled until the payment service gives up",
    fails: () => allOf(callback(429, "none"), endByQuery()),
    own: [...callbackRoute, "strangers"],
    rings: ["IntakeThrottledAlarm", "IntakeMissingAlarmM1", "IntakeAllMissingAlarmM1"],
    ringsForThird: ["IntakeThrottledAlarm", "IntakeMissingAlarmM1"],
    isShare: true,
  },
  {
    cause: "the service calls from new addresses",
    fails: () => allOf(callback(403), fromElsewhere()),
    own: callbackRoute,
    rings: ["IntakeSourcesAlarm"],
    isShare: true,
  },
  {
    cause: "only the previous keys of a merchant verify its callbacks",
    fails: () => allOf(callback(200), accepted(outdatedKeys)),
    own: ["callbacks"],
    rings: ["IntakeOutdatedKeysAlarmM1"],
    ringsForThird: [],
    isShare: true,
  },
  {
    cause: "callbacks of a merchant get lost",
    fails: endByQuery,
    own: ["callbacks"],
    rings: ["IntakeMissingAlarmM1", "IntakeAllMissingAlarmM1"],
    ringsForThird: ["IntakeMissingAlarmM1"],
    isShare: true,
  },
];

const sales = ([cause, fails]: readonly [string, Scene["fails"]]): Scene => ({
  cause,
  fails: () => allOf(order(502), fails()),
  own: ["orders"],
  rings: [cannotSell, soldNothing],
  ringsForThird: [cannotSell],
  isShare: true,
});

const storefront: Scene[] = [
  ...(
    [
      ["the service answers no order of a merchant", () => createFailed()],
      ["the service rejects the orders of a merchant", () => createRefused()],
      ["the table refuses the orders of a merchant", () => createWithoutTable()],
    ] as const
  ).map(sales),
  {
    cause: "API Gateway may not call create-order",
    fails: () => order(500, "none"),
    own: orderRoute,
    rings: [creating, allCreating],
    ringsForThird: [creating],
    isShare: true,
  },
  {
    cause: "create-order crashes",
    fails: () => allOf(order(500, "none"), invoked("StorefrontCreateOrderFunction", "failed")),
    own: orderRoute,
    rings: [creating, allCreating, "FunctionErrorsAlarm"],
    ringsForThird: [creating, "FunctionErrorsAlarm"],
  },
  {
    cause: "Lambda throttles create-order",
    fails: () => allOf(order(503, "none"), invoked("StorefrontCreateOrderFunction", "throttled")),
    own: orderRoute,
    rings: [creating, allCreating, "ThrottlesAlarm"],
    ringsForThird: [creating, "ThrottlesAlarm"],
  },
  {
    cause: "API Gateway throttles requests to create orders",
    fails: () => order(429, "none"),
    own: [...orderRoute, "strangers"],
    rings: ["StorefrontThrottledAlarm"],
    isShare: true,
  },
  {
    cause: "the service answers no query of the shop",
    fails: queryUnanswered,
    own: ["queries"],
    rings: ["StorefrontQueriesAlarm"],
  },
  {
    cause: "query-order crashes",
    fails: () =>
      allOf(
        requested("GET /payments/{paymentId}", 500, "none"),
        invoked("StorefrontQueryOrderFunction", "failed"),
      ),
    own: ["queries"],
    rings: ["StorefrontQueriesFailingAlarm", "FunctionErrorsAlarm"],
  },
];

const keys: Scene[] = [
  {
    cause: "the AES key of a merchant is wrong, and the service signs the ciphertext",
    fails: () => allOf(callback(503), notDecrypted()),
    own: ["callbacks", "callbacksOfOther"],
    rings: ["IntakeNotDecryptedAlarmM1", failing, allFailing],
    ringsForThird: ["IntakeNotDecryptedAlarmM1", failing],
  },
  {
    cause: "the keys of a merchant cannot be parsed, and earlier ones serve",
    fails: () => keysProblem("receive-callback"),
    own: [],
    rings: ["KeysAlarmM1"],
  },
  {
    cause: "the keys of a merchant cannot be read, and none serve",
    fails: () => keysProblem("create-order", { code: "keys-unreachable", isServed: false }),
    own: [],
    rings: ["KeysAlarmM1"],
  },
  {
    cause: "the stamp key cannot be read",
    fails: stampKeyProblem,
    own: [],
    rings: ["StampKeyAlarm"],
  },
  {
    cause: "keys cannot be read for 15 minutes, and earlier ones serve",
    fails: () => fetchFailing(900),
    own: [],
    rings: ["KeysFetchAlarm"],
  },
  {
    cause: "keys cannot be read for 15 minutes, and a new instance has none",
    fails: () =>
      allOf(fetchFailing(900), keysProblem("x", { code: "keys-unreachable", isServed: false })),
    own: [],
    rings: ["KeysFetchAlarm", "KeysAlarmM1"],
  },
  {
    cause: "a fetch of keys is slow, and earlier ones serve",
    fails: () => fetchFailing(5),
    own: [],
    rings: [],
  },
];

const oldest = (queue: string, seconds: number) =>
  aws("SQS", "ApproximateAgeOfOldestMessage", queue, seconds);
const letters = (queue: string) =>
  aws("SQS", "ApproximateNumberOfMessagesVisible", `${queue}DeadLetters`, 1);
const tenDays = 864_000;

const queues: Scene[] = [
  {
    cause: "nobody reads the inbox",
    fails: () => oldest("InboxMessagesQueue", 900),
    own: [],
    rings: ["InboxQueueAlarm"],
  },
  {
    cause: "process-callback crashes on every callback",
    fails: () =>
      allOf(
        oldest("InboxMessagesQueue", 900),
        invoked("ProcessingProcessCallbackFunction", "failed"),
      ),
    own: ["batches"],
    rings: ["InboxQueueAlarm", "FunctionErrorsAlarm"],
  },
  {
    cause: "a callback fails again and again",
    fails: () => givenBack(900),
    own: [],
    rings: ["ProcessingTriedAlarm"],
  },
  {
    cause: "somebody puts messages into the inbox",
    fails: () => allOf(withoutStamp(), letters("InboxMessages")),
    own: [],
    rings: ["ProcessingTriedAlarm", "InboxQueueAlarm"],
  },
  ...["fulfilment", "analytics"].flatMap((name): Scene[] => [
    {
      cause: `nobody reads the queue of ${name}`,
      fails: () => oldest(`Subscribers${name}Queue`, 900),
      own: [],
      rings: [`Subscribers${name}QueueAlarm`],
    },
    {
      cause: `dead letters of ${name} are ten days old`,
      fails: () =>
        allOf(oldest(`Subscribers${name}DeadLetters`, tenDays), letters(`Subscribers${name}`)),
      own: [],
      rings: [`Subscribers${name}QueueAlarm`, "ExpiringAlarm"],
    },
  ]),
];

const background: Scene[] = [
  ...(["quarantined", "undeliverable", "shortened-number"] as const).map((kind) => ({
    cause: `something new is ${kind}`,
    fails: () => attention(kind, 10),
    own: [],
    rings: ["AttentionNewAlarm", "AttentionNeededAlarm"],
  })),
  {
    cause: "a notice cannot be written",
    fails: noticeNotWritten,
    own: [],
    rings: ["AttentionNewAlarm"],
  },
  {
    cause: "something old needs attention",
    fails: () => attention("mismatch", 600),
    own: [],
    rings: ["AttentionNeededAlarm"],
  },
  {
    cause: "count-attention crashes",
    fails: () => invoked("AttentionCountAttentionFunction", "failed"),
    own: ["counts"],
    rings: ["AttentionSilenceAlarm", "FunctionErrorsAlarm"],
    // It counts once a minute. One count in three is enough.
    ringsForThird: ["FunctionErrorsAlarm"],
  },
  {
    cause: "reconcile-orders crashes",
    fails: () => invoked("ReconciliationReconcileOrdersFunction", "failed"),
    own: ["runs"],
    rings: ["ReconciliationLateAlarm", "FunctionErrorsAlarm"],
    // It runs once a minute. One run in three is enough.
    ringsForThird: ["FunctionErrorsAlarm"],
  },
  {
    cause: "an order is due for an hour",
    fails: () => ran({ oldestDueMilliseconds: 3_600_000, results: ["nothing-new"] }),
    own: ["runs"],
    rings: ["ReconciliationLateAlarm"],
  },
  ...(["failed", "refused", "unreadable"] as const).map((kind) => ({
    cause: `the queries of reconcile-orders are ${kind}`,
    fails: () => ran({ oldestDueMilliseconds: 0, results: [kind] }),
    own: ["runs"] as const,
    rings: ["ReconciliationFailingAlarm"],
    ringsForThird: ["ReconciliationFailingAlarm"],
    isShare: true,
  })),
];

export const scenes: readonly Scene[] = [
  ...callbacks,
  ...storefront,
  ...keys,
  ...queues,
  ...background,
];
