/**
 * What consumers and operators should know about a fact, in addition to its content. flag-words.ts explains each flag.
 */
export const flags = [
  "late",
  "regressed",
  "duplicatePayment",
  "mismatch",
  "contradicted",
  "refunded",
  "conflict",
  "unknownOrder",
  "otherAttempt",
  "refusedOrder",
  "unresolved",
  "shortenedNumber",
  "unreadableTime",
  "unreadableReason",
  "unreadableAmount",
] as const;

export type Flag = (typeof flags)[number];

/** The flags whose value is true, in the order of the list above. */
export function raisedFlags(raised: Readonly<Partial<Record<Flag, boolean>>>): Flag[] {
  return flags.filter((flag) => raised[flag]);
}

/** Each flag once, in the order of the list above. Flags of a newer version come last: stored items keep them. */
export function unionOfFlags(...lists: readonly (readonly string[])[]): string[] {
  const all = lists.flat();
  return [...new Set([...knownFlags(all), ...all])];
}

/** The flags of a stored item that this version knows, for events and responses. */
export function knownFlags(stored: readonly string[]): Flag[] {
  return flags.filter((flag) => stored.includes(flag));
}
