/** What a consumer or an operator should know about a fact, in addition to its content. */
export const flags = [
  /** Money came in after the order had timed out or failed. */
  "late",
  /** The status is already the same or later, so the fact does not change it. */
  "regressed",
  /** A second success that is not a repeat of the first. */
  "duplicatePayment",
  /** The amount or currency differs from the order that was created, or more was refunded than it was created for. */
  "mismatch",
  /** A known callback id came with different content. */
  "conflict",
  /** The order or payment was not created through this stack. */
  "unknownOrder",
  /** The fact belongs to a different attempt to create the order than the one that the order follows. */
  "otherAttempt",
  /** The service refused to create the order, but now reports on it. */
  "refusedOrder",
  /**
   * Eight days after the order expired, the service still had not told how it ended; or nobody could confirm its timeout
   * or failure for nine days. Only an order has this flag.
   */
  "unresolved",
  /**
   * The service told only the beginning of the order's number when the order was created, so its callbacks will name
   * another order. Only an order has this flag.
   */
  "shortenedNumber",
  /** A time was not readable and is left out. */
  "unreadableTime",
  /** The service's message was not readable and is left out. */
  "unreadableReason",
  /** No money moved, and the amount was not readable and is left out. */
  "unreadableAmount",
] as const;

export type Flag = (typeof flags)[number];

/** The flags whose value is true, in the order of the list above. */
export function raisedFlags(raised: Readonly<Partial<Record<Flag, boolean>>>): Flag[] {
  return flags.filter((flag) => raised[flag]);
}

/** Each flag once, in the order of the list above. Those of a newer version come last: stored items keep them. */
export function unionOfFlags(...lists: readonly (readonly string[])[]): string[] {
  const all = lists.flat();
  return [...new Set([...knownFlags(all), ...all])];
}

/** The flags of a stored item that this version knows, for events and answers. */
export function knownFlags(stored: readonly string[]): Flag[] {
  return flags.filter((flag) => stored.includes(flag));
}
