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
  const groups = [...new Set(messages.map(({ group }) => group))];
  const left = await Promise.all(
    groups.map((group) =>
      processGroup(
        messages.filter((m) => m.group === group),
        process,
      ),
    ),
  );
  return { batchItemFailures: left.flat().map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

/** The messages that are not done. */
async function processGroup(
  messages: readonly QueuedMessage[],
  process: (message: QueuedMessage) => Promise<boolean>,
): Promise<readonly QueuedMessage[]> {
  for (const [index, message] of messages.entries()) {
    if (!(await process(message))) return messages.slice(index);
  }
  return [];
}
