/** Spreads the writes of an hour over several partition keys: one key takes 1,000 writes per second. */
export const bucketShards = 8;

/** The index of published records by time. Other records have no event and are not in it. */
export const byTimeIndex = "by-time";
/** The index of records by aggregate. */
export const byAggregateIndex = "by-aggregate";

/**
 * The key of a published record in the index by time: its hour, and a shard derived from the group, so that all events
 * of one aggregate and hour share a key.
 */
export function hourBucket(recordedAt: string, shard: number): string {
  return `${recordedAt.slice(0, 13)}#${shard}`;
}

/** `group` is a hex hash. */
export function shardOf(group: string): number {
  return Number.parseInt(group.slice(0, 4), 16) % bucketShards;
}
