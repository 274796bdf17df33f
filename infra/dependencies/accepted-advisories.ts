/** A finding that we looked at and that may stay until a day. */
export interface AcceptedAdvisory {
  /** As in the registry's answer, for instance GHSA-w5hq-g745-h8pq. */
  readonly id: string;
  /** Why it does not concern Paycast, or what protects until a fix exists. */
  readonly reason: string;
  /** The day on which it fails again, YYYY-MM-DD. */
  readonly until: string;
}

export const acceptedAdvisories: readonly AcceptedAdvisory[] = [];
