/** What a consumer or an operator should know of a fact beside what it says. */
export const flags = [
  /** Money came in after the order had timed out or failed. */
  "late",
  /** The fact does not move the status. */
  "regressed",
  /** A second success that is not the first one told again. */
  "duplicatePayment",
  /** The amount or currency differs from the order that was created, or more was refunded than paid. */
  "mismatch",
  /** Another content under a callback id that is known. */
  "conflict",
  /** The order or payment was not created through this stack. */
  "unknownOrder",
  /** The fact is of another attempt to create the order than the one the order follows. */
  "otherAttempt",
  /** The service had refused to create the order, and reports on it all the same. */
  "refusedOrder",
  /** A time was not readable and is left out. */
  "unreadableTime",
  /** The service's message was not readable and is left out. */
  "unreadableReason",
  /** No money moved, and the amount was not readable and is left out. */
  "unreadableAmount",
] as const;

export type Flag = (typeof flags)[number];

/** The flags that are raised, in the order of the list above. */
export function raisedFlags(raised: Readonly<Partial<Record<Flag, boolean>>>): Flag[] {
  return flags.filter((flag) => raised[flag]);
}

/** Each flag once, in the order of the list above. */
export function unionOfFlags(...lists: readonly (readonly Flag[])[]): Flag[] {
  return flags.filter((flag) => lists.some((list) => list.includes(flag)));
}
