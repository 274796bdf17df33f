import { inLanes } from "../in-lanes.ts";

/** A message of a batch as Lambda hands it over. */
export interface QueuedMessage {
  readonly messageId: string;
  readonly group: string;
  readonly body: string;
}

/** The only place where an outcome becomes a batch failure: these stay in the queue. */
export interface BatchAnswer {
  readonly batchItemFailures: { readonly itemIdentifier: string }[];
}

/**
 * Groups go side by side, the messages of a group one after the other. A group stops at its first failure
 * and keeps the rest, so that nothing overtakes; the other groups are not affected. `process` says whether
 * the message is done.
 */
export async function processBatch(
  messages: readonly QueuedMessage[],
  process: (message: QueuedMessage) => Promise<boolean>,
): Promise<BatchAnswer> {
  const done = new Set<string>();
  await inLanes(
    messages,
    ({ group }) => group,
    messages.length,
    async (message) => {
      const isDone = await process(message);
      if (isDone) done.add(message.messageId);
      return isDone;
    },
  );
  const left = messages.filter(({ messageId }) => !done.has(messageId));
  return { batchItemFailures: left.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}
