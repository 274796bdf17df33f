/** A message of a batch. */
export interface QueuedMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly group: string;
  readonly body: string;
  /** How often it was received, including this time. */
  readonly receiveCount: number;
  readonly sentAtMilliseconds: number;
}

/** Lambda keeps the messages listed here in the queue. */
export interface BatchResponse {
  readonly batchItemFailures: { readonly itemIdentifier: string }[];
}

/** A message that is not done returns to the inbox, for a pause that grows with the time of its attempts. */
export type ProcessResult = "done" | NotDone;

export interface NotDone {
  /** Undefined if its record could not be written. */
  readonly triedForMilliseconds?: number;
}

export interface BatchSteps {
  readonly process: (message: QueuedMessage) => Promise<ProcessResult>;
  /** Makes a group's messages visible again soon. The first one is the one that is not done. */
  readonly returnToInbox: (messages: readonly QueuedMessage[], why: NotDone) => Promise<void>;
}

/**
 * The only place where an outcome becomes a batch failure. Groups run in parallel, the messages of a group in sequence.
 * A group stops at its first message that is not done and returns the rest too, so that no message overtakes another.
 * Other groups continue.
 */
export async function processBatch(
  messages: readonly QueuedMessage[],
  steps: BatchSteps,
): Promise<BatchResponse> {
  const groups = [...new Set(messages.map(({ group }) => group))];
  const unprocessed = await Promise.all(
    groups.map((name) =>
      processGroup(
        messages.filter(({ group }) => group === name),
        steps,
      ),
    ),
  );
  const itemIdentifiers = unprocessed.flat().map(({ messageId }) => messageId);
  return { batchItemFailures: itemIdentifiers.map((itemIdentifier) => ({ itemIdentifier })) };
}

async function processGroup(
  messages: readonly QueuedMessage[],
  { process, returnToInbox }: BatchSteps,
): Promise<readonly QueuedMessage[]> {
  for (const [index, message] of messages.entries()) {
    const verdict = await process(message);
    if (verdict === "done") continue;
    const unprocessed = messages.slice(index);
    await returnToInbox(unprocessed, verdict);
    return unprocessed;
  }
  return [];
}
