/** Why a request had no answer, in one word: the system's code, or the name of the error. */
export function connectionFailure(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (typeof cause === "object" && cause !== null && "code" in cause) return String(cause.code);
  return cause instanceof Error ? cause.name : "no answer";
}
