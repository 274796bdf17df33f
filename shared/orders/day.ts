import { groupOf, type Subject } from "../facts/subject.ts";
import { toRfc3339 } from "../time/timestamp.ts";

/** The index of all orders by the day on which Paycast first stored them. */
export const byDayIndex = "by-day";

/** Spreads the orders of a day over several partition keys: one key takes 1,000 writes per second. */
const shardCount = 8;

/** The key of an order in the index. It never changes, so an order costs one index write. */
interface DayPlace {
  readonly dayShard: string;
  /** The time and a part of the order's hash, so that orders of the same millisecond differ. */
  readonly dayPlace: string;
}

export function dayPlaceOf(order: Subject, nowMilliseconds: number): DayPlace {
  const time = toRfc3339(nowMilliseconds);
  const hash = groupOf(order);
  const shard = Number.parseInt(hash.slice(0, 4), 16) % shardCount;
  return { dayShard: dayShard(time, shard), dayPlace: `${time}#${hash.slice(0, 8)}` };
}

/** All partition keys of the day that a time is in. */
export function shardsOfDay(time: string): string[] {
  return Array.from({ length: shardCount }, (_item, shard) => dayShard(time, shard));
}

export function timeOfPlace(dayPlace: string): string {
  return dayPlace.slice(0, 24);
}

function dayShard(time: string, shard: number): string {
  return `${time.slice(0, 10)}#${shard}`;
}
