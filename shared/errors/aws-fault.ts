import { PaycastError } from "./paycast-error.ts";

/** Errors of the SDK itself, without a response. */
const sdkNames = new Set(["AbortError", "CredentialsProviderError", "TimeoutError"]);

/** AWS could not read the request, so the fault is ours: the same request would be rejected every time. */
const malformedNames = new Set(["SerializationException", "ValidationException"]);

/** Whether an error may pass without a change of our code. */
export function mayPass(error: unknown): boolean {
  return error instanceof PaycastError ? error.retryable : isFaultOfAws(error);
}

/**
 * Whether an error is of the AWS SDK, and not of our own code, such as a TypeError. A `PaycastError` names its party
 * itself.
 */
export function isFaultOfAws(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof PaycastError) return false;
  if (isMalformedRequest(error)) return false;
  return "$metadata" in error || sdkNames.has(error.name) || isBrokenConnection(error);
}

/** A cancelled transaction names the reason of each item only in its message. */
function isMalformedRequest({ name, message }: Error): boolean {
  if (name === "TransactionCanceledException") return message.includes("ValidationError");
  return malformedNames.has(name);
}

/** There was no response: the connection was closed, or one attempt reached the client's time limit. */
function isBrokenConnection(error: Error): boolean {
  const code = "code" in error ? error.code : undefined;
  // ERR_… are the codes of Node's own errors about wrong arguments.
  const isOfSystem = typeof code === "string" && /^E(?!RR_)[A-Z_]+$/.test(code);
  return error.name === "TimeoutError" || isOfSystem;
}

const slowDown = /Throttl|TooMany|OverLimit|SlowDown/;

/** Whether AWS accepts no more requests at the moment. */
export function isSlowDown(name: string): boolean {
  return slowDown.test(name);
}

/** Whether the same call may succeed a moment later: there was no response, AWS had an error, or it was too busy. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isBrokenConnection(error) || isSlowDown(error.name)) return true;
  return "$fault" in error && error.$fault === "server";
}
