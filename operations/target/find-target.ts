import type { AwsClients } from "./aws-clients.ts";
import { findDeployedTarget } from "./deployed-target.ts";
import { findLocalTarget } from "./local-target.ts";
import type { Target } from "./target.ts";

export interface TargetChoice {
  /** The name of a deployed stack; without it, the local stack. */
  readonly stack?: string | undefined;
  /** Where the local stack keeps its data, and longer work on any stack its state. */
  readonly directory: string;
  /** Of a deployed stack that was found before, to reach it over the same connections. */
  readonly clients?: AwsClients | undefined;
}

/** Throws `target-not-found` with a message that says what to do. */
export async function findTarget(
  { stack, directory, clients }: TargetChoice,
  now: () => number = Date.now,
): Promise<Target> {
  return stack === undefined
    ? await findLocalTarget(directory, now)
    : await findDeployedTarget(stack, directory, now, clients);
}
