import { failureOf } from "../errors/failures.ts";
import { errorFields, type LogFields } from "./log-line.ts";

/** What a line says about an error: where it happened and why, and the name and words of its innermost cause. */
export function failureFields(
  error: unknown,
): Pick<LogFields, "stage" | "reason" | "errorName" | "detail"> {
  return { ...failureOf(error), ...errorFields(error) };
}
