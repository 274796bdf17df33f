import { findFunction, type StackFunction } from "../ports/functions.ts";

/** The stack gives each function a log group of its own. Without one, Lambda's rule is the function's name. */
export function logGroupOf(all: readonly StackFunction[], label: string): string {
  const found = findFunction({ all }, label);
  return found?.logGroup ?? `/aws/lambda/${found?.name}`;
}
