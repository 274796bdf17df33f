import type { Target } from "../ports/target.ts";

export type FindingStatus = "ok" | "warning" | "problem";

/** One thing that a check found. */
export interface Verdict {
  readonly status: FindingStatus;
  readonly message: string;
  /** What to do about it. */
  readonly action?: string;
}

export interface Finding extends Verdict {
  readonly check: string;
}

/** One check of a deployment. It has one finding or more, and changes nothing. */
export interface Check {
  readonly name: string;
  readonly run: (target: Target, context: CheckContext) => Promise<readonly Verdict[]>;
}

export interface CheckContext {
  /** The clock of this machine. What is stored has the time of the target. */
  readonly now: () => number;
  readonly fetch: typeof fetch;
  /** The version of the command itself. */
  readonly commandVersion: string;
  /** A check that takes longer ends as a problem. */
  readonly limitMilliseconds: number;
}

export const deployAgain = "Deploy the stack again.";

export function ok(message: string): Verdict {
  return { status: "ok", message };
}

export function warning(message: string, action: string): Verdict {
  return { status: "warning", message, action };
}

export function problem(message: string, action: string): Verdict {
  return { status: "problem", message, action };
}

/** One fault, or none. */
export function faultIf(isFault: boolean, fault: Verdict): readonly Verdict[] {
  return isFault ? [fault] : [];
}

/** The faults, or that there are none. */
export function faultsOr(faults: readonly Verdict[], whenNone: string): readonly Verdict[] {
  return faults.length > 0 ? faults : [ok(whenNone)];
}
