import { PaycastError } from "../paycast-error.ts";

/**
 * Why a call to the service gave nothing. After `timed-out` and `unreadable` it may have done what was asked, and
 * after a `refused` under a server's error (HTTP 5xx, 408) too: `mayHaveActed` says so.
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
  override readonly name = "GatewayError";
  readonly failure: GatewayFailure;
  /** What the service itself said (§7). */
  readonly refusal: ServiceRefusal | undefined;
  readonly mayHaveActed: boolean;

  constructor(
    failure: GatewayFailure,
    options: { cause?: unknown; refusal?: ServiceRefusal; mayHaveActed?: boolean } = {},
  ) {
    super(`gateway-${failure}`, messages[failure], {
      retryable: failure !== "refused",
      cause: options.cause,
    });
    this.failure = failure;
    this.refusal = options.refusal;
    this.mayHaveActed =
      options.mayHaveActed ?? (failure === "timed-out" || failure === "unreadable");
  }
}
