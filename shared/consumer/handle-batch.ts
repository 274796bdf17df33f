/** The `maxReceiveCount` of a subscriber's queue: SQS moves a message to the dead-letter queue after so many receives. */
export const defaultMaxReceiveCount = 10;

/**
 * On its last receives a failing message no longer blocks its group. Three, so that a later message that fails once is
 * still retried, but never the first of several: otherwise a single failure would change the order.
 */
const lastReceives = 3;

function blocksGroup(receiveCount: number, maxReceiveCount: number): boolean {
  const last = Math.min(lastReceives, Math.max(maxReceiveCount - 1, 1));
  return receiveCount <= maxReceiveCount - last;
}

/** The fields of a message that `handleBatch` reads. `SQSRecord` of @types/aws-lambda fits. */
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

/** The response that Lambda expects: `SQSBatchResponse` of @types/aws-lambda. */
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
   * Called for each message that was tried and failed. If it throws, the batch continues, and the error is logged.
   * @default logs the message id and the error with `console.error`
   */
  readonly onFailure?: ((message: Message, error: unknown) => Promise<void> | void) | undefined;
}

/** The only global that is used: the package needs no types of Node or of a browser. */
declare const console: { error(...values: unknown[]): void };

/**
 * Handles the messages of a batch in order and returns those that failed. After a failure the later messages of the same
 * group return to the queue untried, so that the events of one order stay in order. Other groups continue.
 *
 * SQS counts every receive. On its last three receives a failing message no longer blocks its group: otherwise the later
 * messages would reach the dead-letter queue untried. They may overtake the failing one; `isStale` detects this.
 *
 * @example
 * ```ts
 * import { type Batch, type BatchRecord, handleBatch, type LambdaRecord, parseRecord } from "paycast-events";
 *
 * export async function handler(batch: Batch<BatchRecord & LambdaRecord>) {
 *   return await handleBatch(batch, async (message) => {
 *     const { event } = parseRecord(message);
 *     console.log(event.type, event.subject);
 *   });
 * }
 * ```
 */
export async function handleBatch<Message extends BatchRecord>(
  { Records }: Batch<Message>,
  handle: (message: Message) => Promise<void> | void,
  { maxReceiveCount = defaultMaxReceiveCount, onFailure = logFailure }: BatchOptions<Message> = {},
): Promise<BatchResponse> {
  const stoppedGroups = new Set<string>();
  const batchItemFailures: BatchResponse["batchItemFailures"] = [];
  for (const message of Records) {
    // A standard queue has no groups: each message is its own.
    const group = message.attributes?.MessageGroupId ?? message.messageId;
    if (!stoppedGroups.has(group)) {
      const failure = await failureOf(message, handle);
      if (failure === undefined) continue;
      await report(message, failure.error, onFailure);
      if (blocksGroup(receiveCountOf(message), maxReceiveCount)) stoppedGroups.add(group);
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

/** Without a result Lambda would return the whole batch, with the messages that are finished. */
async function report<Message extends BatchRecord>(
  message: Message,
  error: unknown,
  onFailure: NonNullable<BatchOptions<Message>["onFailure"]>,
): Promise<void> {
  try {
    await onFailure(message, error);
  } catch (thrown) {
    logFailure(message, error);
    console.error("onFailure failed.", thrown);
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
