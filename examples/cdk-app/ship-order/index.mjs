/**
 * Handles a batch in order. At the first failure it gives that message and all after it back, so that the events of an
 * order stay in order.
 */
export async function handler({ Records }) {
  for (const [index, record] of Records.entries()) {
    try {
      await shipOnce(JSON.parse(record.body));
    } catch (error) {
      console.error(`Event ${record.messageId} failed`, error);
      return { batchItemFailures: Records.slice(index).map(toFailure) };
    }
  }
  return { batchItemFailures: [] };
}

/** A real consumer stores `id` together with its own change, and does nothing if it is stored already. */
async function shipOnce({ id, type, subject }) {
  console.log(JSON.stringify({ id, type, orderNo: subject }));
}

function toFailure({ messageId }) {
  return { itemIdentifier: messageId };
}
