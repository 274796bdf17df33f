/** What went wrong, for the storefront's developer: an RFC 9457 problem document. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** Every fault of a body, each with its JSON pointer. */
  readonly errors?: readonly Fault[];
  readonly retryAfterSeconds?: number;
  /** What the payment service itself said when it refused. */
  readonly service?: { readonly code: string; readonly msg: string };
}

export interface Fault {
  readonly pointer: string;
  readonly detail: string;
}

/** The kinds of problems, the last part of their `type`. */
const kinds = {
  "body-invalid": { status: 400, title: "The body is not a valid order" },
  "body-too-large": { status: 413, title: "The body is too large" },
  "merchant-unknown": { status: 400, title: "No such merchant is configured" },
  "order-differs": { status: 409, title: "The order number is taken by another order" },
  "order-exists": { status: 409, title: "The order is at the payment service already" },
  "order-in-progress": { status: 409, title: "The order is being created" },
  "order-unknown": { status: 404, title: "There is no such order" },
  "payment-unknown": { status: 404, title: "There is no such payment" },
  "service-refused": { status: 422, title: "The payment service refused the order" },
  "service-unreachable": { status: 503, title: "The payment service cannot be reached" },
  "outcome-unknown": { status: 504, title: "The payment service's answer was lost" },
  unavailable: { status: 503, title: "The order cannot be handled now" },
} as const;

export type ProblemKind = keyof typeof kinds;

export const problemKinds: readonly ProblemKind[] = Object.freeze(
  Object.keys(kinds).filter((kind): kind is ProblemKind => kind in kinds),
);

export function problemOf(
  kind: ProblemKind,
  detail: string,
  extra: Pick<Problem, "errors" | "retryAfterSeconds" | "service"> = {},
): Problem {
  return { type: `urn:paycast:problem:${kind}`, ...kinds[kind], detail, ...extra };
}

/** Thrown deep in a flow and turned into the answer in one place. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, options?: { cause: unknown }) {
    super(problem.title, options);
    this.name = "ProblemError";
    this.problem = problem;
  }
}
