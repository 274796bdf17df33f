import type { Playground } from "./playground.ts";

/** An order by the two names that find it. */
export interface OrderName {
  readonly merchantId: string;
  readonly orderNo: string;
}

/** Something that was seen while a step ran. */
export interface Evidence {
  readonly text: string;
  /** The order whose timeline shows it. */
  readonly order?: OrderName;
}

export interface Step {
  readonly title: string;
  readonly run: (tell: (text: string, order?: OrderName) => void) => Promise<void>;
}

/** What must be true, and what was found. */
export interface Claim {
  readonly claim: string;
  readonly found: string;
  readonly holds: boolean;
}

/** It holds if every claim does. */
export interface Proof {
  /** What was found, in one sentence. */
  readonly sentence: string;
  readonly claims: readonly Claim[];
}

interface Plan {
  readonly steps: readonly Step[];
  /** Reads the tables, the queues and the logs after the last step. */
  readonly prove: () => Promise<Proof>;
}

/** One scenario of the tour. */
export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  /** How fast the payment service's clock runs meanwhile. */
  readonly clockSpeed: number;
  readonly plan: (playground: Playground) => Plan;
}
