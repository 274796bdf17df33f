/** The `maxReceiveCount` of a subscriber's queue: a message that fails on this receive, too, becomes a dead letter. */
export const defaultMaxReceiveCount = 10;

/**
 * On the last receives of a failing message its group goes on. Three, so that one more failure of a later message does
 * not make it a dead letter.
 */
const lastReceives = 3;

/** What is read of a message. `SQSRecord` of @types/aws-lambda fits. */
export interface BatchRecord {
  readonly messageId: string;
  readonly attributes?:
    | {
        readonly ApproximateReceiveCount?: string | undefined;
        readonly MessageGroupId?: string | undefined;
      }
    | undefined;
}

/** Lambda's event for a batch. `SQSEvent` of @types/aws-lambda fits. */
export interface Batch<Message extends BatchRecord> {
  readonly Records: readonly Message[];
}

/** What Lambda wants as the answer. It is an `SQSBatchResponse` of @types/aws-lambda. */
export interface BatchResponse {
  batchItemFailures: { itemIdentifier: string }[];
}

export interface BatchOptions<Message extends BatchRecord> {
  /**
   * The `maxReceiveCount` of the queue, if it is not a queue of Paycast.
   * @default 10
   */
  readonly maxReceiveCount?: number | undefined;
  /**
   * Gets each message that was tried and failed.
   * @default writes a line and the error with `console.error`
   */
  readonly onFailure?: ((message: Message, error: unknown) => void) | undefined;
}

/** All that is used of the surroundings: the package needs no types of Node or of a browser. */
declare const console: { error(...values: unknown[]): void };

/**
 * Handles the messages of a batch in order, and answers with those that failed. After a failure the later messages of the
 * same group are given back without a try, so that the events of one order stay in order. Other groups go on.
 *
 * What is given back counts as received. So a message that always fails would take the later ones with it into the dead
 * letters, although nobody tried them. Therefore it stops its group no longer on its last three receives: the later
 * messages are tried and may overtake it. `isStale` tells if it comes back after them.
 */
export async function handleBatch<Message extends BatchRecord>(
  { Records }: Batch<Message>,
  handle: (message: Message) => Promise<void> | void,
  { maxReceiveCount = defaultMaxReceiveCount, onFailure = logFailure }: BatchOptions<Message> = {},
): Promise<BatchResponse> {
  const stoppedGroups = new Set<string>();
  const batchItemFailures: BatchResponse["batchItemFailures"] = [];
  for (const message of Records) {
    // A queue that is not ordered has no groups: each message is its own.
    const group = message.attributes?.MessageGroupId ?? message.messageId;
    if (!stoppedGroups.has(group)) {
      const failure = await failureOf(message, handle);
      if (failure === undefined) continue;
      onFailure(message, failure.error);
      if (receiveCountOf(message) <= maxReceiveCount - lastReceives) stoppedGroups.add(group);
    }
    batchItemFailures.push({ itemIdentifier: message.messageId });
  }
  return { batchItemFailures };
}

async function failureOf<Message>(
  message: Message,
  handle: (message: Message) => Promise<void> | void,
): Promise<{ readonly error: unknown } | undefined> {
  try {
    await handle(message);
    return undefined;
  } catch (error) {
    return { error };
  }
}

function receiveCountOf({ attributes }: BatchRecord): number {
  return Number(attributes?.ApproximateReceiveCount ?? 1);
}

function logFailure(message: BatchRecord, error: unknown): void {
  console.error(
    `Message ${message.messageId} failed on receive ${receiveCountOf(message)}.`,
    error,
  );
}
