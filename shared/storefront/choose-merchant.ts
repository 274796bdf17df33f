import { ProblemError, problemOf } from "./problem.ts";

/** The merchant that a call is for: the only one there is, or the one it names. */
export function chooseMerchant(named: string | undefined, configured: readonly string[]): string {
  const [only, ...others] = configured;
  if (named === undefined && only !== undefined && others.length === 0) return only;
  if (named !== undefined && configured.includes(named)) return named;
  const detail =
    named === undefined
      ? "Several merchants are configured: name one in merchantId."
      : "The merchantId is not one of the stack's config.";
  throw new ProblemError(problemOf("merchant-unknown", detail));
}
