/**
 * Times that depend on each other, in one place. The stack takes its timeouts from here, the functions their
 * deadlines. A test checks how they depend on each other. The config takes its defaults from here, too.
 */

/** API Gateway gives up on a function after this. */
export const apiGatewayMilliseconds = 30_000;
/** How long SQS remembers a deduplication id, even after the message was deleted. */
export const deduplicationMilliseconds = 5 * 60_000;
/** If a call to DynamoDB hangs: the number of attempts, and the time limit of each. */
export const tableAttempts = 3;
export const tableAttemptMilliseconds = 2_000;

/** A call to DynamoDB that a caller of the storefront waits for, with its repeats: an outage must not hold it long. */
export const tableCallMilliseconds = 3_000;

/**
 * The eight days: the service retries a callback for seven days (§6), and a margin. By default a callback may be this old,
 * and keys verify for this long after a rotation: a retry may have the timestamp and the keys of the first attempt. After
 * this time reconciliation stops asking about an order without an end, and flags it `unresolved` (orders/due.ts).
 */
export const serviceRetriesEndMilliseconds = 8 * 24 * 60 * 60_000;
/**
 * How long after a rotation the service may still sign with its old key. After that, a callback which only the previous
 * keys verify is a sign that the current ones are wrong.
 */
export const outdatedKeysMilliseconds = 24 * 60 * 60_000;
/** How far a callback's timestamp may be ahead of our clock, by default. */
export const maxAheadMilliseconds = 5 * 60_000;

/** receive-callback: fetch the keys, fetch them once more after a refusal, then send to the inbox. */
export const receiveTimeoutMilliseconds = 10_000;
export const keyFetchMilliseconds = 1_500;
/**
 * How long an instance uses keys without looking for newer ones. So for this long after a change of keys a function may
 * use the old ones. After a refused callback it looks sooner, and without keys at once.
 */
export const keysKeptMilliseconds = 5 * 60_000;
/** With a fetch of the stamp key, if it is due. */
export const inboxSendMilliseconds = 3_000;
/** While refused envelopes are captured, the answer to one waits for at most this long until the queue has it. */
export const captureMilliseconds = 300;

/** process-callback: a batch, and one message of it. A message is begun only if it can also be finished. */
export const processTimeoutMilliseconds = 30_000;
/** Fetching the stamp key, or reading the record that a redrive names. */
export const openMessageMilliseconds = 2_000;
/** Reading and writing the record, the sends, marking who has the event, and the dead letters. */
export const recordMilliseconds = 4_000;
export const subscriberSendMilliseconds = 3_300;
export const markMilliseconds = 2_000;
export const deadLetterMilliseconds = 2_500;
export const giveBackMilliseconds = 2_000;
export const processMessageMilliseconds =
  openMessageMilliseconds +
  recordMilliseconds +
  subscriberSendMilliseconds +
  markMilliseconds +
  deadLetterMilliseconds +
  giveBackMilliseconds;
/**
 * A version of the stamp key that is unknown this long after its message was sent does not exist: more than the clocks of
 * AWS differ, and more than Secrets Manager needs to show a new version everywhere.
 */
export const stampSettleMilliseconds = 30_000;
/** Six times the timeout, as Lambda recommends for a queue that it reads. */
export const inboxVisibilityMilliseconds = 6 * processTimeoutMilliseconds;
/** The pause before a message that was given back is visible again. It doubles with each try, up to the longest. */
export const firstRetryMilliseconds = 2_000;
export const longestRetryMilliseconds = 60_000;
/**
 * How long an order waits for a subscriber's queue that does not accept an event, from the receipt of the callback;
 * and the minimum time for which an event is tried, if it had to wait for earlier ones or was redriven. A queue that
 * does not exist gets only the minimum time.
 */
export const deliveryPatienceMilliseconds = 5 * 60_000;
export const deliveryTrialMilliseconds = 60_000;
/**
 * An event is given up only after this many receives of its message. If returning it to the inbox fails, the next try
 * comes after `inboxVisibilityMilliseconds`, and two tries are too few to judge a queue.
 */
export const fewestDeliveryReceives = 5;
/**
 * A message on which our own code fails is quarantined when it is this old and one instance has seen it fail for the
 * trial: a message that only waited behind another one has not been tried itself.
 */
export const failurePatienceMilliseconds = 6 * 60 * 60_000;
export const failureTrialMilliseconds = 10 * 60_000;

/**
 * An event waits five minutes for a subscriber. After three times that, something else is out of order, and the alarms
 * on the inbox and on waiting records ring. For a subscriber's queue it is the default of `maxWaitMinutes`.
 */
export const longestWaitMilliseconds = 15 * 60_000;
export const usualWaitMinutes = longestWaitMilliseconds / 60_000;
/** How long something that needs a person counts as new. Several counts see it, so that one that fails hides nothing. */
export const newAttentionMilliseconds = 15 * 60_000;
/** count-attention: how often it counts what needs a person, and how long it may take. */
export const countEveryMilliseconds = 60_000;
export const countTimeoutMilliseconds = 20_000;

/** create-order: the call to the service. The rest of the time is for storing its result. */
export const createTimeoutMilliseconds = 29_000;
export const createCallMilliseconds = 8_000;
/** The longest time for one try to store a payment: a read and a write, and no attempt of either gets an answer. */
export const storeMilliseconds = 2 * tableAttempts * tableAttemptMilliseconds + 1_000;
/** During the lease an attempt may still be waiting for the service, so it is longer than the function's timeout. */
export const creationLeaseMilliseconds = createTimeoutMilliseconds + 6_000;
/** A refused order that is sent again within this time gets the same refusal without a call. */
export const refusalMemoryMilliseconds = 5_000;

/** query-order: the call to the service. The claim to ask lasts longer than the function's timeout. */
export const queryTimeoutMilliseconds = 12_000;
export const queryCallMilliseconds = 5_000;
export const queryClaimMilliseconds = 15_000;
/** A question to the service, and sending its answer to the inbox. */
export const askMilliseconds = queryCallMilliseconds + inboxSendMilliseconds;
/** After an answer the next caller may ask sooner. */
export const queryAnsweredMilliseconds = 5_000;
/** How long an instance remembers that the service refused to answer about a payment that is not stored here. */
export const unknownPaymentMilliseconds = 60_000;

/** reconcile-orders: how often a run begins, how long it may take, and its lease, which keeps a second run away. */
export const runEveryMilliseconds = 60_000;
export const runTimeoutMilliseconds = 50_000;
export const runLeaseMilliseconds = 55_000;
/** At most five questions a second, however many orders are due. */
export const questionEveryMilliseconds = 200;
/** A check: the order is read, claimed, asked about, and gets its next check. */
export const checkMilliseconds = askMilliseconds + 3 * tableCallMilliseconds;

/** How long a consumer may pay, if the storefront does not say it. */
export const defaultLifetimeMilliseconds = 30 * 60_000;
/** An order is checked for the first time when it is overdue by this. Later gaps are as long as it is overdue. */
export const firstCheckMilliseconds = 2 * 60_000;
/** The longest time from its creation to the first check, whatever expiry was sent. No order lives longer (§8). */
export const latestFirstCheckMilliseconds = 24 * 60 * 60_000;
export const longestGapMilliseconds = 24 * 60 * 60_000;
/** A timeout or failure is settled after this: then the order is checked for the last time, and GET asks no more. */
export const settledMilliseconds = 24 * 60 * 60_000;
/** The shortest time after which a question without an answer is repeated, and when the repeats end. */
export const retryQuestionMilliseconds = 10 * 60_000;
export const lastQuestionMilliseconds = 9 * 24 * 60 * 60_000;

/** DynamoDB retries end this long before the function's timeout, so that there is time to answer. */
export const answerMarginMilliseconds = 1_500;
