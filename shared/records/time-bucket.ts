/** Spreads an hour's writes over several keys of the index: a single one takes 1,000 writes a second. */
export const bucketShards = 8;

/** The index of published records by time. Other records are not in it, since they hold no event. */
export const byTimeIndex = "by-time";
/** The index of records by aggregate. */
export const byAggregateIndex = "by-aggregate";

/**
 * Where the index by time keeps a published record: its hour, and a shard that follows from the group, so that all
 * events of one aggregate and hour are in one place.
 */
export function hourBucket(recordedAt: string, shard: number): string {
  return `${recordedAt.slice(0, 13)}#${shard}`;
}

/** `group` is a hex hash. */
export function shardOf(group: string): number {
  return Number.parseInt(group.slice(0, 4), 16) % bucketShards;
}
