/** Something that a function counts, such as `Accepted` of receive-callback. */
export interface Metric {
  readonly service: string;
  readonly name: string;
}

export interface Counted {
  readonly total: number;
  /** Oldest first; the last minute is not over yet. */
  readonly perMinute: readonly number[];
}

/** The count of one metric, or the sum of several. */
export type CountOf = (...metrics: readonly Metric[]) => Counted;

/** Reads what these metrics counted in the last minutes. */
export type ReadMetrics = (metrics: readonly Metric[], minutes: number) => Promise<CountOf>;

export const minuteMilliseconds = 60_000;

export function minuteOf(milliseconds: number): number {
  return Math.floor(milliseconds / minuteMilliseconds);
}

/** `perMinute` gives one metric's counts, oldest first, or undefined if nothing was counted. */
export function countWith(
  minutes: number,
  perMinute: (metric: Metric) => readonly number[] | undefined,
): CountOf {
  return (...metrics) => {
    const read = metrics.map(perMinute);
    const sums = Array.from({ length: minutes }, (_, minute) =>
      read.reduce((sum, counts) => sum + (counts?.[minute] ?? 0), 0),
    );
    return { total: sums.reduce((sum, count) => sum + count, 0), perMinute: sums };
  };
}
