import { UsageError } from "./command.ts";

/** What the options of every command that works on a stack may hold. */
export interface TargetValues {
  readonly stack?: string | undefined;
  readonly local?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** The name of the deployed stack that is meant; undefined if it is the local one. Throws `UsageError`. */
export function chosenStack({ stack, local }: TargetValues): string | undefined {
  if (stack !== undefined && local === true) {
    throw new UsageError("Give --stack NAME or --local, not both.");
  }
  const { PAYCAST_STACK: usual } = process.env;
  return stack ?? (local === true ? undefined : usual || undefined);
}
