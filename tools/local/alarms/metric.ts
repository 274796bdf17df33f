/** A metric as CloudWatch identifies it: the same name with other dimensions is another metric. */
export interface MetricId {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

/** What was written in one minute. */
interface Datapoint {
  readonly minuteMilliseconds: number;
  readonly values: readonly number[];
}

/**
 * The datapoints of a metric between two times, excluding the end. Undefined if nothing was ever written before that
 * end, which is not the same as an empty list (docs/decisions/0023-metric-math.md).
 */
export type ReadDatapoints = (
  metric: MetricId,
  fromMilliseconds: number,
  untilMilliseconds: number,
) => readonly Datapoint[] | undefined;

/** A key for a metric that does not depend on the order of its dimensions. */
export function keyOf({ namespace, name, dimensions }: MetricId): string {
  const sorted = Object.entries(dimensions).toSorted(([name], [next]) => (name < next ? -1 : 1));
  return JSON.stringify([namespace, name, sorted]);
}
