let aheadMilliseconds = 0;

/** The stack's time: this machine's, unless the local stack's clock was moved. */
export function stackNow(): number {
  return Date.now() + aheadMilliseconds;
}

export function setClockAhead(milliseconds: number): void {
  aheadMilliseconds = milliseconds;
}
