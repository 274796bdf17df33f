/** Aborts when `stopped` does, or after this time. */
export function stoppedOrLate(stopped: AbortSignal, milliseconds: number): AbortSignal {
  const limit = AbortSignal.timeout(milliseconds);
  // Node 20 may collect a timeout that only AbortSignal.any refers to. A listener keeps it.
  limit.addEventListener("abort", () => undefined);
  return AbortSignal.any([stopped, limit]);
}
