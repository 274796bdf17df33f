import type { Event, Evidence, ServiceAnswer, Statement } from "./evidence.ts";

/** What was seen, read once for all rules. */
export interface Seen {
  readonly evidence: Evidence;
  /** The authentic envelopes among everything that reached the stack. */
  readonly statements: readonly Statement[];
  /** The others. */
  readonly forged: Evidence["posts"];
  /** The service's responses about payments. */
  readonly serviceAnswers: readonly ServiceAnswer[];
  readonly events: readonly Event[];
}

/** One thing that a rule looked at, and what is wrong with it. */
export interface Look {
  /** Whose history explains it. */
  readonly orderNo: string | undefined;
  readonly wrong: readonly string[];
  /** What would be wrong if its cause were not known. */
  readonly attributed?: readonly string[];
  /** What is wrong, but may be wrong only because the machine was busy. */
  readonly unjudged?: readonly string[];
  /** Why the rule did not check it. */
  readonly excuse?: string;
}

/** A case that a rule should check and did not. The figures count it. */
export function excused(orderNo: string | undefined, excuse: string): Look {
  return { orderNo, wrong: [], excuse };
}

export type Rule = (seen: Seen) => readonly Look[];
