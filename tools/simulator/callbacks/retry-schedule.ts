const minuteMilliseconds = 60_000;
const hourMilliseconds = 60 * minuteMilliseconds;
const dayMilliseconds = 24 * hourMilliseconds;

/** §6 says up to 8 retries over 7 days. These are the times of the retries, counted from the first attempt. */
export const retryOffsetsMilliseconds: readonly number[] = [
  minuteMilliseconds,
  10 * minuteMilliseconds,
  hourMilliseconds,
  4 * hourMilliseconds,
  12 * hourMilliseconds,
  dayMilliseconds,
  3 * dayMilliseconds,
  7 * dayMilliseconds,
];
