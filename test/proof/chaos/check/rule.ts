import type { Event, Evidence, Statement } from "./evidence.ts";

/** What was seen, read once for all rules. */
export interface Seen {
  readonly evidence: Evidence;
  /** The authentic envelopes among everything that reached the stack. */
  readonly statements: readonly Statement[];
  /** The others. */
  readonly forged: Evidence["posts"];
  readonly events: readonly Event[];
}

/** One thing that a rule looked at, and what is wrong with it. */
export interface Look {
  /** Whose history explains it. */
  readonly orderNo: string | undefined;
  readonly wrong: readonly string[];
  /** What would be wrong without its known cause. */
  readonly attributed?: readonly string[];
  /** What is wrong, but may be wrong only because the machine was busy. */
  readonly unjudged?: readonly string[];
}

export type Rule = (seen: Seen) => readonly Look[];
