import { ProblemError } from "./problem.ts";

/** The merchant that a request names. If it names none, the stack's only merchant. Throws a `ProblemError`. */
export function chooseMerchant(named: string | undefined, configured: readonly string[]): string {
  const [only, ...others] = configured;
  if (named === undefined && only !== undefined && others.length === 0) return only;
  if (named !== undefined && configured.includes(named)) return named;
  const detail =
    named === undefined
      ? "This stack has several merchants. Name one of them in `merchantId`."
      : "No merchant of this stack has this `merchantId`. Use one that the stack is configured for.";
  throw new ProblemError("merchant-unknown", detail);
}
