import { groupOf, type Subject } from "../facts/subject.ts";
import { toRfc3339 } from "../time/timestamp.ts";

/** The index of all orders by the day on which Paycast first stored them. */
export const byDayIndex = "by-day";

/** Spreads the orders of a day over several keys of the index: a single one takes 1,000 writes a second. */
const shardCount = 8;

/** Where the index has an order. Neither attribute ever changes, so an order costs one write of the index. */
interface DayPlace {
  readonly dayShard: string;
  /** The time, and a part of the order's hash: no two orders of a millisecond have the same place. */
  readonly dayPlace: string;
}

export function dayPlaceOf(order: Subject, nowMilliseconds: number): DayPlace {
  const time = toRfc3339(nowMilliseconds);
  const hash = groupOf(order);
  const shard = Number.parseInt(hash.slice(0, 4), 16) % shardCount;
  return { dayShard: dayShard(time, shard), dayPlace: `${time}#${hash.slice(0, 8)}` };
}

/** All partitions of the day that a time is in. */
export function shardsOfDay(time: string): string[] {
  return Array.from({ length: shardCount }, (_item, shard) => dayShard(time, shard));
}

export function timeOfPlace(dayPlace: string): string {
  return dayPlace.slice(0, 24);
}

function dayShard(time: string, shard: number): string {
  return `${time.slice(0, 10)}#${shard}`;
}
