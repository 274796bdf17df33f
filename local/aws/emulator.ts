/** One emulated AWS service: an address on loopback, and the way to end it. */
export interface Emulator {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** The one region and account that everything local pretends to be in; the SQS emulator knows no other account. */
export const localRegion = "us-east-1";
export const localAccountId = "000000000000";
