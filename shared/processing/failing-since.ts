/**
 * Returns when a message first failed: now, if no earlier failure is known. `reasonToGiveUp` in set-aside.ts
 * quarantines a message after `failurePatienceMilliseconds` (timing.ts).
 */
export type FailingSince = (messageId: string, nowMilliseconds: number) => number;

/**
 * A FIFO queue can have this many messages in flight, and returned messages are in flight. With a smaller memory, a
 * fault on every callback would forget each message before the patience ends.
 */
const mostMessages = 120_000;

/**
 * The memory of one instance. A failing message is retried at least once a minute, so an instance soon sees it again.
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
