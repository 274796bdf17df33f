import { StackError } from "../template/template.ts";
import type { RunningFunction } from "./run-function.ts";

/** Finds a function by the template's reference to it. `wantedBy` is the resource that refers to it, for the error. */
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
      `${wantedBy} calls ${reference}, which is not a function of the template.`,
    );
  };
}
