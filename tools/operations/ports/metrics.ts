import type { Unavailable } from "./available.ts";

/** What SQS reports of a queue once a minute, under the names of CloudWatch, with the statistic that makes sense of it. */
export const queueMetrics = {
  sent: ["NumberOfMessagesSent", "Sum"],
  received: ["NumberOfMessagesReceived", "Sum"],
  emptyReceives: ["NumberOfEmptyReceives", "Sum"],
  deleted: ["NumberOfMessagesDeleted", "Sum"],
  visible: ["ApproximateNumberOfMessagesVisible", "Maximum"],
  inFlight: ["ApproximateNumberOfMessagesNotVisible", "Maximum"],
  oldestSeconds: ["ApproximateAgeOfOldestMessage", "Maximum"],
} as const satisfies Record<string, readonly [name: string, statistic: "Sum" | "Maximum"]>;

export type QueueMetric = keyof typeof queueMetrics;

/** When a period began, in milliseconds, and the value of it. Oldest first. */
export type Points = readonly (readonly [at: number, value: number])[];

export type QueueSeries<Name extends QueueMetric = QueueMetric> = Readonly<Record<Name, Points>>;

export interface WantedSeries<Name extends QueueMetric> {
  readonly names: readonly Name[];
  readonly sinceMilliseconds: number;
}

/** The points of a series within the time that is wanted. */
export function pointsWithin<Name extends QueueMetric>(
  found: Readonly<Partial<Record<QueueMetric, Points>>>,
  { names, sinceMilliseconds }: WantedSeries<Name>,
  untilMilliseconds: number,
): QueueSeries<Name> {
  const isWanted = ([at]: readonly [number, number]) =>
    at >= sinceMilliseconds && at <= untilMilliseconds;
  const entries = names.map((name) => [name, (found[name] ?? []).filter(isWanted)]);
  return Object.fromEntries(entries);
}

export interface StackAlarm {
  readonly name: string;
  readonly description: string;
  readonly isRinging: boolean;
  /** RFC 3339; undefined if CloudWatch does not say it. */
  readonly since: string | undefined;
  readonly notifiesSomebody: boolean;
}

/** What the stack counts, and its alarms. */
export interface Metrics {
  /** CloudWatch is some minutes behind. */
  readonly count: ReadMetrics;
  /** Each series of a queue, also of one that was deleted meanwhile. */
  readonly queueSeries: <Name extends QueueMetric>(
    url: string,
    wanted: WantedSeries<Name>,
  ) => Promise<QueueSeries<Name>>;
  readonly ringingAlarms: () => Promise<readonly StackAlarm[]>;
  readonly allAlarms: (() => Promise<readonly StackAlarm[]>) | Unavailable;
}

/** Something that a function counts, such as `Accepted` of receive-callback. */
export interface Metric {
  readonly service: string;
  readonly name: string;
  /** Only what concerns this merchant (shared/telemetry/log-line.ts says what is counted so). */
  readonly merchantId?: string | undefined;
}

export function metricKey({ service, name, merchantId }: Metric): string {
  return JSON.stringify([service, name, merchantId]);
}

/** A time up to now, in steps. */
export interface Range {
  readonly steps: number;
  readonly stepMinutes: number;
}

export const rangeNames = ["15m", "1h", "1d", "7d"] as const;

export type RangeName = (typeof rangeNames)[number];

/** The ranges to choose from. A range never needs more than a hundred values of a metric. */
export const ranges: Readonly<Record<RangeName, Range>> = {
  "15m": { steps: 15, stepMinutes: 1 },
  "1h": { steps: 60, stepMinutes: 1 },
  "1d": { steps: 96, stepMinutes: 15 },
  "7d": { steps: 84, stepMinutes: 120 },
};

export interface Counted {
  readonly total: number;
  /** Oldest first; the last step is not over yet. */
  readonly perStep: readonly number[];
  readonly stepMinutes: number;
  /** When the first step began, in milliseconds. */
  readonly since: number;
}

/** The count of one metric, or the sum of several. */
export type CountOf = (...metrics: readonly Metric[]) => Counted;

/** Reads what these metrics counted in a time up to now. */
export type ReadMetrics = (metrics: readonly Metric[], range: Range) => Promise<CountOf>;

export const minuteMilliseconds = 60_000;

export function minuteOf(milliseconds: number): number {
  return Math.floor(milliseconds / minuteMilliseconds);
}

/** The minute in which the range begins. Steps begin at whole multiples of their length, as in CloudWatch. */
export function firstMinuteOf({ steps, stepMinutes }: Range, nowMilliseconds: number): number {
  const last = Math.floor(minuteOf(nowMilliseconds) / stepMinutes);
  return (last - steps + 1) * stepMinutes;
}

/** `perStep` gives one metric's counts, oldest first. */
export function countWith(
  { steps, stepMinutes }: Range,
  firstMinute: number,
  perStep: (metric: Metric) => readonly number[],
): CountOf {
  return (...metrics) => {
    const read = metrics.map(perStep);
    const sums = Array.from({ length: steps }, (_item, step) =>
      read.reduce((sum, counts) => sum + (counts[step] ?? 0), 0),
    );
    const total = sums.reduce((sum, count) => sum + count, 0);
    return { total, perStep: sums, stepMinutes, since: firstMinute * minuteMilliseconds };
  };
}

type Keep<Answer> = (key: string, ask: () => Promise<Answer>) => Promise<Answer>;

/**
 * CloudWatch has one value per minute and charges for each metric of a call. A result is therefore kept for a minute
 * and shared by equal calls. A failure is not kept.
 */
export function keepAMinute<Answer>(now: () => number): Keep<Answer> {
  const kept = new Map<string, { readonly answer: Promise<Answer>; readonly askedAt: number }>();
  return (key, ask) => {
    const known = kept.get(key);
    if (known !== undefined && now() - known.askedAt < minuteMilliseconds) return known.answer;
    const answer = ask();
    kept.set(key, { answer, askedAt: now() });
    answer.catch(() => kept.delete(key));
    return answer;
  };
}
