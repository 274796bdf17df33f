import { prices } from "../../cost/prices.ts";

/** A call of a function with so much memory, in milliseconds. */
export interface MemoryRow {
  readonly name: string;
  readonly megabytes: number;
  /** The import and the first call. */
  readonly cold: number;
  readonly warm: number;
}

/** What the memory of a million warm calls costs. */
export function dollarsOfMillion({ megabytes, warm }: MemoryRow): number {
  const gigabyteSeconds = (megabytes / 1_024) * (warm / 1_000);
  return 1e6 * gigabyteSeconds * prices.lambdaGigabyteSecond;
}
