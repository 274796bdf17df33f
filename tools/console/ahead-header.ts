/** Each response says how many milliseconds the stack's clock is ahead of this machine's. */
export const aheadHeader = "paycast-clock-ahead";
