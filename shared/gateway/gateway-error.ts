import { PaycastError } from "../errors/paycast-error.ts";

/** Why a call to the service returned no usable response. */
export type GatewayFailure =
  | "refused"
  | "busy"
  | "unreachable"
  | "timed-out"
  | "disconnected"
  | "unreadable"
  | "incomplete"
  | "other-order";

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
  disconnected: {
    message: "The connection to the payment service broke before its response; it may have acted.",
    mayHaveActed: true,
  },
  unreadable: {
    message: "The payment service's response does not say what it did; it may have acted.",
    mayHaveActed: true,
  },
  incomplete: {
    message: "The payment service created a payment, but its response is incomplete.",
    mayHaveActed: true,
  },
  "other-order": {
    message: "The payment service returned a payment of another order.",
    mayHaveActed: true,
  },
};

interface GatewayErrorOptions {
  readonly cause?: unknown;
  readonly refusal?: ServiceRefusal | undefined;
  readonly retryAfterSeconds?: number;
  readonly paymentId?: string | undefined;
}

export class GatewayError extends PaycastError {
  override readonly name = "GatewayError";
  readonly failure: GatewayFailure;
  readonly refusal: ServiceRefusal | undefined;
  /** If `busy`: how long to wait before the next request. */
  readonly retryAfterSeconds: number | undefined;
  /** If `incomplete`: the payment that the service created. */
  readonly paymentId: string | undefined;
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
    this.paymentId = options.paymentId;
    this.mayHaveActed = mayHaveActed;
  }
}

/** What a code of the service looks like. */
export const serviceCodePattern = /^[\w.-]{1,40}$/;

/** The service's code for a log line. Any other text in its place may repeat what was sent, so it is not logged. */
export function codeForLog(error: unknown): string | undefined {
  const code = error instanceof GatewayError ? error.refusal?.code : undefined;
  return code === undefined || serviceCodePattern.test(code) ? code : "not-a-code";
}
