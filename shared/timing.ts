/**
 * Times that depend on each other, in one place. The stack takes its timeouts from here and the functions
 * their deadlines; a test holds each against those it depends on.
 */

/** API Gateway gives up on a function after this. */
export const apiGatewayMilliseconds = 30_000;
/** How long SQS remembers a deduplication id, also after the message was deleted. */
export const deduplicationMilliseconds = 5 * 60_000;
/** One call to DynamoDB, when it hangs: so many attempts, each ended after so long. */
export const tableAttempts = 3;
export const tableAttemptMilliseconds = 2_000;

/** receive-callback: a fetch of the keys, one retry after a refusal, then the inbox. */
export const receiveTimeoutMilliseconds = 10_000;
export const keyFetchMilliseconds = 1_500;
export const inboxSendMilliseconds = 3_000;

/** process-callback: a batch, and one message of it. A message is begun only if it can also be finished. */
export const processTimeoutMilliseconds = 30_000;
/** Reading and writing the record, the sends, marking who has the event, and the dead letters. */
export const recordMilliseconds = 4_000;
export const subscriberSendMilliseconds = 3_300;
export const markMilliseconds = 2_000;
export const deadLetterMilliseconds = 2_500;
export const giveBackMilliseconds = 2_000;
export const processMessageMilliseconds =
  recordMilliseconds +
  subscriberSendMilliseconds +
  markMilliseconds +
  deadLetterMilliseconds +
  giveBackMilliseconds;
/** Six times the timeout, as Lambda asks of a queue that it reads. */
export const inboxVisibilityMilliseconds = 6 * processTimeoutMilliseconds;
/** The pause before a message that was given back is seen again: doubles with each try, up to the longest. */
export const firstRetryMilliseconds = 2_000;
export const longestRetryMilliseconds = 60_000;
/**
 * How long an order waits for a subscriber's queue that does not take an event, from the receipt of the callback; and
 * how long an event is tried at least, where it waited for others before it.
 */
export const deliveryPatienceMilliseconds = 5 * 60_000;
export const deliveryTrialMilliseconds = 10_000;

/** create-order: the call to the service, with the rest of the time for storing what came of it. */
export const createTimeoutMilliseconds = 29_000;
export const createCallMilliseconds = 10_000;
/** One try to store a payment, at worst: the table does not answer, and the client pauses between its attempts. */
export const storeMilliseconds = tableAttempts * tableAttemptMilliseconds + 1_000;
/** While it lasts, somebody may be talking to the service: longer than the function may run. */
export const creationLeaseMilliseconds = createTimeoutMilliseconds + 6_000;
/** A refused order that is sent again within this gets the same refusal without a call. */
export const refusalMemoryMilliseconds = 5_000;

/** query-order: the call to the service. The claim to ask outlives the function that made it. */
export const queryTimeoutMilliseconds = 12_000;
export const queryCallMilliseconds = 5_000;
export const queryClaimMilliseconds = 15_000;
/** A question, and handing what it brought to the inbox. */
export const askMilliseconds = queryCallMilliseconds + inboxSendMilliseconds;
/** After an answer the next caller may ask sooner. */
export const queryAnsweredMilliseconds = 5_000;
/** How long an instance remembers that the service refused a payment which nobody here knows. */
export const unknownPaymentMilliseconds = 60_000;

/** Retries of DynamoDB end this long before a function's time does, so that its answer still leaves. */
export const answerMarginMilliseconds = 1_500;
