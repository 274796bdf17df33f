import { PaycastError } from "./paycast-error.ts";

/** Errors of the SDK itself, without a response. */
const sdkNames = new Set(["AbortError", "CredentialsProviderError", "TimeoutError"]);

/** AWS could not read the request, so the fault is ours: the same request would be rejected every time. */
const malformedNames = new Set(["SerializationException", "ValidationException"]);

/**
 * Whether AWS or the network caused an error. Such an error passes without a change of our code. Any other error is our
 * own, such as a TypeError.
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

/** There was no response: the connection was closed, or one attempt reached the client's time limit. */
export function isBrokenConnection(error: Error): boolean {
  const code = "code" in error ? error.code : undefined;
  // ERR_… are the codes of Node's own errors about wrong arguments.
  const isOfSystem = typeof code === "string" && /^E(?!RR_)[A-Z_]+$/.test(code);
  return error.name === "TimeoutError" || isOfSystem;
}
