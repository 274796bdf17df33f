/** One emulated AWS service: its address on loopback, and a function that stops it. */
export interface Emulator {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** The region and account of everything local. The SQS emulator knows no other account. */
export const localRegion = "us-east-1";
export const localAccountId = "000000000000";
