let aheadMilliseconds = 0;

/** The time of the stack: this machine's, unless the clock of the local stack has jumped. */
export function stackNow(): number {
  return Date.now() + aheadMilliseconds;
}

export function setClockAhead(milliseconds: number): void {
  aheadMilliseconds = milliseconds;
}
