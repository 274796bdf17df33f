export interface Clock {
  /** The stack's time. The clock of a local stack may have jumped forward. */
  readonly now: () => number;
  /** The Date header of a response of AWS. */
  readonly awsDate: () => Promise<string | undefined>;
}
