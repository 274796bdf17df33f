import { PaycastError } from "../paycast-error.ts";

/**
 * Why a call to the service gave nothing. Only after `unreachable` and `refused` is it certain that the
 * service did nothing; after `timed-out` and `unreadable` it may have done what was asked.
 */
export type GatewayFailure = "refused" | "unreachable" | "timed-out" | "unreadable";

export interface ServiceRefusal {
  readonly code: string;
  readonly msg: string;
}

const messages: Record<GatewayFailure, string> = {
  refused: "The payment service refused the request.",
  unreachable: "The payment service could not be reached; nothing was sent.",
  "timed-out": "The payment service did not answer; it may have acted all the same.",
  unreadable: "The payment service's answer could not be read; it may have acted all the same.",
};

export class GatewayError extends PaycastError {
  readonly failure: GatewayFailure;
  /** What the service itself said (§7). */
  readonly refusal: ServiceRefusal | undefined;

  constructor(
    failure: GatewayFailure,
    options: { cause?: unknown; refusal?: ServiceRefusal } = {},
  ) {
    super(`gateway-${failure}`, messages[failure], {
      retryable: failure !== "refused",
      cause: options.cause,
    });
    this.failure = failure;
    this.refusal = options.refusal;
  }
}
