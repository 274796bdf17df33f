import type { SQSBatchResponse, SQSRecord } from "aws-lambda";

/**
 * Handles a batch in order and answers with the messages that failed. After a failure the later messages of the same
 * group are given back without a try, so that the events of one order stay in order. Other groups go on.
 */
export async function handleBatch(
  records: readonly SQSRecord[],
  handle: (record: SQSRecord) => Promise<void>,
): Promise<SQSBatchResponse> {
  const failedGroups = new Set<string>();
  const batchItemFailures: SQSBatchResponse["batchItemFailures"] = [];
  for (const record of records) {
    // A queue that is not ordered has no groups: each message is its own.
    const group = record.attributes.MessageGroupId ?? record.messageId;
    if (!failedGroups.has(group) && (await succeeds(record, handle))) continue;
    failedGroups.add(group);
    batchItemFailures.push({ itemIdentifier: record.messageId });
  }
  return { batchItemFailures };
}

async function succeeds(
  record: SQSRecord,
  handle: (record: SQSRecord) => Promise<void>,
): Promise<boolean> {
  try {
    await handle(record);
    return true;
  } catch (error) {
    console.error(`Message ${record.messageId} failed and comes again.`, error);
    return false;
  }
}
