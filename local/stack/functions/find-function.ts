import { StackError } from "../template/template.ts";
import type { RunningFunction } from "./run-function.ts";

/** Finds a function by how the template refers to it; `wantedBy` names who asks, for the message. */
export type FunctionFinder = (reference: string, wantedBy: string) => RunningFunction;

export function createFunctionFinder(functions: readonly RunningFunction[]): FunctionFinder {
  return (reference, wantedBy) => {
    const found = functions.find(
      ({ definition: { name, arn } }) =>
        reference === name || reference === arn || reference.endsWith(`/${arn}/invocations`),
    );
    if (found !== undefined) return found;
    throw new StackError(
      "local-reference-unknown",
      `${wantedBy} calls ${reference}, which is no function of the template.`,
    );
  };
}
