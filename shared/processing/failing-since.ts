/**
 * When a message failed for the first time; this failure, if none is known. `reasonToGiveUp` in process-callback.ts
 * quarantines a message after `failurePatienceMilliseconds` (timing.ts).
 */
export type FailingSince = (messageId: string, nowMilliseconds: number) => number;

/**
 * A FIFO queue can have this many messages in flight, and messages that are given back are in flight. With a smaller
 * memory, a fault on every callback would forget each message before that time is over.
 */
const mostMessages = 120_000;

/**
 * The memory of one instance. A message that fails is tried at least once a minute, so an instance sees it again soon.
 * The oldest entries are dropped first.
 */
export function createFailingSince(): FailingSince {
  const first = new Map<string, number>();
  return (messageId, nowMilliseconds) => {
    const since = first.get(messageId) ?? nowMilliseconds;
    first.set(messageId, since);
    const [oldest] = first.keys();
    if (first.size > mostMessages && oldest !== undefined) first.delete(oldest);
    return since;
  };
}
