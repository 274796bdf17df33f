/** Each answer says how many milliseconds the clock of the stack is ahead of this machine's. */
export const aheadHeader = "paycast-clock-ahead";
