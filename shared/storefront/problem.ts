import { type ProblemKind, problemDescriptions } from "./problem-kinds.ts";

/** What went wrong, for the developer of the storefront: an RFC 9457 problem document. */
export interface Problem {
  readonly type: `urn:paycast:problem:${ProblemKind}`;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** Every fault of a body, each with its JSON pointer. */
  readonly errors?: readonly Fault[];
  readonly retryAfterSeconds?: number;
  /** What the payment service itself said. */
  readonly service?: { readonly code: string; readonly msg: string };
}

export interface Fault {
  readonly pointer: string;
  readonly detail: string;
}

type Extras = Pick<Problem, "errors" | "retryAfterSeconds" | "service">;

export function problemOf(kind: ProblemKind, detail: string, extras: Extras = {}): Problem {
  const { title, status } = problemDescriptions[kind];
  return { type: `urn:paycast:problem:${kind}`, title, status, detail, ...extras };
}

/** The problem with the usual advice of its kind as its detail. */
export function usualProblem(kind: ProblemKind, extras: Extras = {}): Problem {
  return problemOf(kind, problemDescriptions[kind].whatToDo, extras);
}

/** Thrown deep in a flow and turned into the answer in one place. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, options?: { cause: unknown }) {
    super(problem.title, options);
    // A literal, because bundling shortens the names of classes.
    this.name = "ProblemError";
    this.problem = problem;
  }
}
