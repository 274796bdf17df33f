/**
 * Times that depend on each other, in one place. The stack takes its timeouts from here, the functions their deadlines,
 * the config its defaults. A test checks the dependencies.
 */

/** API Gateway gives up on a function after this. */
export const apiGatewayMilliseconds = 30_000;
/** How long SQS remembers a deduplication id, even after the message was deleted. */
export const deduplicationMilliseconds = 5 * 60_000;
/** If a call to DynamoDB hangs: the number of attempts, and the time limit of each. */
export const tableAttempts = 3;
export const tableAttemptMilliseconds = 2_000;

/**
 * A call to DynamoDB with its retries, while a caller of the storefront waits: an outage must not delay it for long.
 */
export const tableCallMilliseconds = 3_000;

/**
 * The service retries a callback for seven days (§6), plus a margin. By default a callback may be this old, and keys
 * verify for this long after a rotation: a retry may have the timestamp and the keys of the first attempt. After this
 * time reconciliation stops querying an order without an end and flags it `unresolved` (orders/due.ts).
 */
export const serviceRetriesEndMilliseconds = 8 * 24 * 60 * 60_000;
/**
 * Ends, and the callbacks that tell them, are counted so long after the end was learned. A callback that is on its way
 * when a query finds the end is then not missing. CloudWatch takes times of up to two hours ahead.
 */
export const callbackGraceMilliseconds = 15 * 60_000;

/**
 * How long after a rotation the service may still sign with its old key. After that, a callback that only the previous
 * keys verify indicates that the current ones are wrong.
 */
export const outdatedKeysMilliseconds = 24 * 60 * 60_000;
/** How far a callback's timestamp may be ahead of our clock, by default. */
export const maxAheadMilliseconds = 5 * 60_000;

/** receive-callback: fetch the keys, fetch them once more after a refusal, then send to the inbox. */
export const receiveTimeoutMilliseconds = 10_000;
export const keyFetchMilliseconds = 1_500;
/**
 * How long an instance uses keys before it fetches them again. After a change of keys, a function may use the old ones
 * for this long. It fetches sooner after a rejected callback or a refusal of the payment service, and immediately if it
 * has no keys.
 */
export const keysKeptMilliseconds = 5 * 60_000;
/** Includes a fetch of the stamp key, if it is due. */
export const inboxSendMilliseconds = 3_000;
/** While rejected envelopes are captured, a response waits at most this long for the queue. */
export const captureMilliseconds = 300;

/** process-callback: a batch, and one message of it. A message is started only if there is time to finish it. */
export const processTimeoutMilliseconds = 30_000;
/** Fetching the stamp key, or reading the record that a redrive names. */
export const openMessageMilliseconds = 2_000;
/** Reading and writing the record, the sends, marking who has the event, and the dead letters. */
export const recordMilliseconds = 4_000;
export const subscriberSendMilliseconds = 3_300;
/** The limit of a send to a queue that has just hung. SQS usually responds within 50 ms. */
export const hangingSendMilliseconds = 500;
/** How long a send waits for those of the other messages of its batch. */
export const sendGatherMilliseconds = 25;
export const markMilliseconds = 2_000;
export const deadLetterMilliseconds = 2_500;
export const returnMessageMilliseconds = 2_000;
export const processMessageMilliseconds =
  openMessageMilliseconds +
  recordMilliseconds +
  sendGatherMilliseconds +
  subscriberSendMilliseconds +
  markMilliseconds +
  deadLetterMilliseconds +
  returnMessageMilliseconds;
/**
 * A version of the stamp key that is unknown this long after its message was sent does not exist. Longer than the
 * clocks of AWS differ, and longer than Secrets Manager needs to show a new version everywhere.
 */
export const stampSettleMilliseconds = 30_000;
/** Six times the timeout, as Lambda recommends for a queue that it reads. */
export const inboxVisibilityMilliseconds = 6 * processTimeoutMilliseconds;
/** The pause before a returned message is visible again. It doubles with each attempt, up to the longest. */
export const firstRetryMilliseconds = 2_000;
export const longestRetryMilliseconds = 60_000;
/**
 * The first is how long an order waits for a subscriber's queue that rejects an event, counted from the receipt of the
 * callback. The second is the minimum time for which an event is tried, if it waited for earlier ones or was redriven.
 * A queue that does not exist gets only the minimum time.
 */
export const deliveryPatienceMilliseconds = 5 * 60_000;
export const deliveryTrialMilliseconds = 60_000;
/** How long an instance remembers that a subscriber's queue fails, without another attempt. */
export const failingMemoryMilliseconds = 30_000;
/**
 * An event becomes undeliverable only after this many receives of its message, unless its queue has failed for long. If returning it to the inbox fails, the
 * next attempt comes after `inboxVisibilityMilliseconds`, and two attempts are too few to judge a queue.
 */
export const fewestDeliveryReceives = 5;
/**
 * A message on which our own code fails is quarantined when it is this old and one instance has seen it fail for the
 * trial time. A message that only waited behind another one has not been tried itself.
 */
export const failurePatienceMilliseconds = 6 * 60 * 60_000;
export const failureTrialMilliseconds = 10 * 60_000;

/**
 * An event waits five minutes for a subscriber. After three times that, something else is wrong, and the alarms on the
 * inbox and on waiting records go off. For a subscriber's queue it is the default of `maxWaitMinutes`.
 */
export const longestWaitMilliseconds = 15 * 60_000;
export const usualWaitMinutes = longestWaitMilliseconds / 60_000;
/** How long an item counts as new. Several counts see it, so that a failed count hides nothing. */
export const newAttentionMilliseconds = 15 * 60_000;
/** count-attention: how often it runs, and how long it may take. */
export const countEveryMilliseconds = 60_000;
export const countTimeoutMilliseconds = 20_000;

/** create-order: the call to the service. The rest of the time is for storing its result. */
export const createTimeoutMilliseconds = 29_000;
export const createCallMilliseconds = 8_000;
/** Enough to store a payment while calls hang: a read and a write, each repeated until an attempt gets a response. */
export const storeMilliseconds = 2 * tableAttempts * tableAttemptMilliseconds + 1_000;
/** During the lease an attempt may wait for the service, so it is longer than the function's timeout. */
export const creationLeaseMilliseconds = createTimeoutMilliseconds + 6_000;
/** A repeat of an order that was created within this time is not stale. */
export const freshCreationMilliseconds = 10_000;
/** A refused order that is sent again within this time gets the same refusal without a call. */
export const refusalMemoryMilliseconds = 5_000;

/** query-order: the call to the service. The claim lasts longer than the function's timeout. */
export const queryTimeoutMilliseconds = 12_000;
export const queryCallMilliseconds = 5_000;
export const queryClaimMilliseconds = 15_000;
/** A query to the service, and sending its result to the inbox. */
export const askMilliseconds = queryCallMilliseconds + inboxSendMilliseconds;
/** After a result the next caller may query sooner. */
export const queryAnsweredMilliseconds = 5_000;
/** How long an instance remembers that the service refused a query about a payment that is not stored here. */
export const unknownPaymentMilliseconds = 60_000;

/** reconcile-orders: how often a run starts, how long it may take, and its lease, which prevents a second run. */
export const runEveryMilliseconds = 60_000;
export const runTimeoutMilliseconds = 50_000;
export const runLeaseMilliseconds = 55_000;
/** At most five queries per second, however many orders are due. */
export const questionEveryMilliseconds = 200;
/** A check: read the order, claim it, query it, and set its next check. */
export const checkMilliseconds = askMilliseconds + 3 * tableCallMilliseconds;

/** How long a consumer may pay, if the storefront does not set it. */
export const defaultLifetimeMilliseconds = 30 * 60_000;
/** How long an order is overdue at its first check. Later gaps are as long as it is overdue. */
export const firstCheckMilliseconds = 2 * 60_000;
/** The longest time from the creation to the first check, whatever expiry was sent. No order lives longer (§8). */
export const latestFirstCheckMilliseconds = 24 * 60 * 60_000;
export const longestGapMilliseconds = 24 * 60 * 60_000;
/** A timeout or failure is settled after this time: the order is checked for the last time, and GET queries no more. */
export const settledMilliseconds = 24 * 60 * 60_000;
/** An order that may be paid for longer than this gets an early query, so long after its creation. */
export const earlyQuestionLifetimeMilliseconds = 35 * 60_000;
export const earlyQuestionMilliseconds = 30 * 60_000;
/** How long a run may come too late for an early query. After that the order waits for its first check. */
export const earlyQuestionPatienceMilliseconds = 5 * 60_000;
/** The pause after a failed check. It doubles with each failure, up to the longest; and when the repeats end. */
export const retryQuestionMilliseconds = 10 * 60_000;
export const longestRetryQuestionMilliseconds = 6 * 60 * 60_000;
export const lastQuestionMilliseconds = 9 * 24 * 60 * 60_000;

/** DynamoDB retries end this long before the function's timeout, so that there is time to respond. */
export const answerMarginMilliseconds = 1_500;
