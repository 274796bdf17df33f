import type { ErrorCode } from "./error-codes.ts";

/**
 * The base of every error that Paycast throws on purpose. `code` is stable and safe to log. `message` never contains a
 * key, a signature, a plaintext or any input. `retryable` says whether the same work may succeed later without human
 * intervention.
 */
export class PaycastError extends Error {
  /** A literal, here and in each subclass, because the bundler shortens class names. */
  override readonly name: string = "PaycastError";
  readonly code: ErrorCode;
  readonly retryable: boolean;

  constructor(
    code: ErrorCode,
    message: string,
    options: { retryable?: boolean; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}
