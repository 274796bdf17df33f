import * as z from "zod/mini";
import { describeIssues } from "./errors/describe-issues.ts";
import { PaycastError } from "./errors/paycast-error.ts";
import { parseJson } from "./json/parse-json.ts";

/** A function's settings, read once per instance. Throws `environment-invalid`, naming each variable that is wrong. */
export function readEnvironment<T extends z.ZodMiniType>(
  schema: T,
  environment: Readonly<Record<string, string | undefined>>,
): z.output<T> {
  const result = schema.safeParse(environment);
  if (result.success) return result.data;
  throw new PaycastError(
    "environment-invalid",
    `The function's environment is not valid: ${describeIssues(result.error, "environment")}.`,
  );
}

/** A variable that holds JSON. */
export function jsonVariable<T extends z.ZodMiniType>(schema: T) {
  return z.pipe(z.pipe(z.string(), z.transform(parseJson)), schema);
}

/** A variable that holds a whole number. */
export const integerVariable = z.pipe(
  z.string().check(z.regex(/^\d{1,15}$/, "must be a whole number")),
  z.transform(Number),
);
