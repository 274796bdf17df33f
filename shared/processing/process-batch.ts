/** A message of a batch as Lambda passes it. */
export interface QueuedMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly group: string;
  readonly body: string;
  /** How often it was received, including this time. */
  readonly receiveCount: number;
  readonly sentAtMilliseconds: number;
}

/** The messages listed here stay in the queue. */
export interface BatchAnswer {
  readonly batchItemFailures: { readonly itemIdentifier: string }[];
}

/** Decided in process-callback.ts. A message that is not done is given back, for a pause that grows with its tries. */
export type ProcessResult = "done" | GivenBack;

export interface GivenBack {
  /** Undefined if its record could not be written. */
  readonly triedForMilliseconds?: number;
}

export interface BatchSteps {
  readonly process: (message: QueuedMessage) => Promise<ProcessResult>;
  /** Makes a group's messages visible again soon; the first is the one that was not done. */
  readonly giveBack: (messages: readonly QueuedMessage[], why: GivenBack) => Promise<void>;
}

/**
 * The only place where an outcome becomes a batch failure. Groups run in parallel, the messages of a group in sequence.
 * A group stops at its first failure and gives back the rest too, so that no message overtakes another. Other groups are
 * not affected.
 */
export async function processBatch(
  messages: readonly QueuedMessage[],
  steps: BatchSteps,
): Promise<BatchAnswer> {
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
  { process, giveBack }: BatchSteps,
): Promise<readonly QueuedMessage[]> {
  for (const [index, message] of messages.entries()) {
    const verdict = await process(message);
    if (verdict === "done") continue;
    const unprocessed = messages.slice(index);
    await giveBack(unprocessed, verdict);
    return unprocessed;
  }
  return [];
}
