/** What happened at one rate. Times in milliseconds, from the moment at which the callback was to be sent. */
export interface Step {
  readonly rate: number;
  /** Callbacks a second that reached the queue. */
  readonly throughput: number;
  readonly acknowledged: Quantiles;
  readonly queued: Quantiles;
  readonly refused: number;
  readonly memoryMebibytes: number;
}

export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
}

/** The achieved rate is more than a tenth below the offered one. */
export function isSaturated({ rate, throughput }: Step): boolean {
  return throughput < rate * 0.9;
}
