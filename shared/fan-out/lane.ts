/**
 * One subscriber's events of one order, in sequence. An order's `behind` lists the ones that are still
 * to come, so that no later one overtakes them.
 */
export function laneEntry(subscriber: string, sequence: number): string {
  return `${subscriber}#${String(sequence).padStart(10, "0")}`;
}

/** Whether the subscriber still waits for an event of this order that comes before this one. */
export function waitsForEarlier(
  behind: readonly string[],
  subscriber: string,
  sequence: number,
): boolean {
  const own = laneEntry(subscriber, sequence);
  return behind.some((entry) => entry.startsWith(`${subscriber}#`) && entry < own);
}
