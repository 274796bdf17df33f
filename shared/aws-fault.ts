import { PaycastError } from "./paycast-error.ts";

/** Errors of the SDK itself, before or instead of an answer. */
const sdkNames = new Set(["AbortError", "CredentialsProviderError", "TimeoutError"]);

/** AWS could not read our request, so the fault is ours: the same request is refused each time. */
const malformedNames = new Set(["SerializationException", "ValidationException"]);

/**
 * Whether AWS, or the network on the way to it, is the cause of an error. Such an error passes without a change of our
 * code. Any other error is our own, such as a TypeError.
 */
export function isFaultOfAws(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof PaycastError) return error.retryable;
  if (isMalformedRequest(error)) return false;
  return "$metadata" in error || sdkNames.has(error.name) || isBrokenConnection(error);
}

/** A cancelled transaction names the reason of each item only in its message. */
function isMalformedRequest({ name, message }: Error): boolean {
  if (name === "TransactionCanceledException") return message.includes("ValidationError");
  return malformedNames.has(name);
}

/** No answer came: the connection was closed, or the client's time limit for one attempt was reached. */
export function isBrokenConnection(error: Error): boolean {
  const code = "code" in error ? error.code : undefined;
  // ERR_… are the codes of Node's own errors about wrong arguments.
  const isOfSystem = typeof code === "string" && /^E(?!RR_)[A-Z_]+$/.test(code);
  return error.name === "TimeoutError" || isOfSystem;
}
