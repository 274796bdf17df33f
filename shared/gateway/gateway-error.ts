import { PaycastError } from "../errors/paycast-error.ts";

/** Why a call to the service returned no usable response. */
export type GatewayFailure = "refused" | "busy" | "unreachable" | "timed-out" | "unreadable";

/** The service's own code and message (§2.2, §7). */
export interface ServiceRefusal {
  /** The service's code, or `http-` and the HTTP status if the response had none. */
  readonly code: string;
  readonly msg: string;
}

const failures: Record<GatewayFailure, { message: string; mayHaveActed: boolean }> = {
  refused: {
    message: "The payment service rejected the request.",
    mayHaveActed: false,
  },
  busy: {
    message: "The payment service accepts no more requests at the moment.",
    mayHaveActed: false,
  },
  unreachable: {
    message: "The payment service could not be reached; nothing was sent.",
    mayHaveActed: false,
  },
  "timed-out": {
    message: "The payment service did not respond in time; it may have acted.",
    mayHaveActed: true,
  },
  unreadable: {
    message: "The payment service's response does not say what it did; it may have acted.",
    mayHaveActed: true,
  },
};

interface GatewayErrorOptions {
  readonly cause?: unknown;
  readonly refusal?: ServiceRefusal | undefined;
  readonly retryAfterSeconds?: number;
}

export class GatewayError extends PaycastError {
  override readonly name = "GatewayError";
  readonly failure: GatewayFailure;
  readonly refusal: ServiceRefusal | undefined;
  /** If `busy`: how long to wait before the next request. */
  readonly retryAfterSeconds: number | undefined;
  /** True if the outcome is unknown: the service may have executed the request. */
  readonly mayHaveActed: boolean;

  constructor(failure: GatewayFailure, options: GatewayErrorOptions = {}) {
    const { message, mayHaveActed } = failures[failure];
    const retryable = failure !== "refused";
    super(`gateway-${failure}`, message, { retryable, cause: options.cause });
    // A literal, because the bundler shortens class names.
    this.name = "GatewayError";
    this.failure = failure;
    this.refusal = options.refusal;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.mayHaveActed = mayHaveActed;
  }
}

/** The service's code for a log line. Any other text in its place may repeat what was sent, so it is not logged. */
export function codeForLog(error: unknown): string | undefined {
  const code = error instanceof GatewayError ? error.refusal?.code : undefined;
  return code === undefined || /^[\w.-]{1,40}$/.test(code) ? code : "not-a-code";
}
