/**
 * Handles a batch in order. If an event fails, the later events of the same order are given back with it, so that they
 * stay in order. Other orders go on: what is given back ten times becomes a dead letter, and they did not fail.
 */
export async function handler({ Records }) {
  const failedGroups = new Set();
  const batchItemFailures = [];
  for (const record of Records) {
    // A queue that is not ordered has no groups: there each message is alone.
    const group = record.attributes?.MessageGroupId ?? record.messageId;
    if (!failedGroups.has(group) && (await isHandled(record))) continue;
    failedGroups.add(group);
    batchItemFailures.push({ itemIdentifier: record.messageId });
  }
  return { batchItemFailures };
}

async function isHandled({ messageId, body }) {
  try {
    await shipOnce(JSON.parse(body));
    return true;
  } catch (error) {
    // Only the name: the message of a JSON error repeats a part of the body.
    console.error(`Message ${messageId} failed: ${error.name}`);
    return false;
  }
}

/** A real consumer stores `id` together with its own change, and does nothing if it is stored already. */
async function shipOnce({ id, type, subject }) {
  console.log(JSON.stringify({ id, type, orderNo: subject }));
}
