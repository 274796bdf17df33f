import { findDeployedStack } from "./deployed-stack/find-deployed-stack.ts";
import { findLocalStack } from "./local-stack/find-local-stack.ts";
import type { ConnectedTarget } from "./ports/target.ts";

export interface TargetChoice {
  /** The name of a deployed stack; without it, the local stack. */
  readonly stack?: string | undefined;
  /** Where the local stack keeps its data. */
  readonly directory: string;
}

/** Throws `target-not-found` with a message that says what to do. */
export async function findTarget({ stack, directory }: TargetChoice): Promise<ConnectedTarget> {
  return stack === undefined ? await findLocalStack(directory) : await findDeployedStack(stack);
}
