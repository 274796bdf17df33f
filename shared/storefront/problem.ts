import type { ProblemCode } from "../errors/error-codes.ts";
import { PaycastError } from "../errors/paycast-error.ts";
import { problemDescriptions } from "./problem-kinds.ts";

/** What went wrong, for the developer of the storefront: an RFC 9457 problem document. */
export interface Problem {
  readonly type: `urn:paycast:problem:${ProblemCode}`;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** Every fault of a body, each with its JSON pointer. */
  readonly errors?: readonly Fault[];
  readonly retryAfterSeconds?: number;
  /** The payment that the service created, if the rest of its response cannot be used or stored. */
  readonly paymentId?: string | undefined;
  /** What the payment service itself said. */
  readonly service?: { readonly code: string; readonly msg: string };
}

export interface Fault {
  readonly pointer: string;
  readonly detail: string;
}

interface ProblemExtras
  extends Pick<Problem, "errors" | "retryAfterSeconds" | "paymentId" | "service"> {}

export function problemOf(kind: ProblemCode, detail: string, extras: ProblemExtras = {}): Problem {
  const { title, status } = problemDescriptions[kind];
  return { type: `urn:paycast:problem:${kind}`, title, status, detail, ...extras };
}

/** The problem with the advice of its kind as `detail`. */
export function usualProblem(kind: ProblemCode, extras: ProblemExtras = {}): Problem {
  return problemOf(kind, problemDescriptions[kind].whatToDo, extras);
}

/** Thrown anywhere in a flow. make-response.ts turns it into a response. */
export class ProblemError extends PaycastError {
  override readonly name = "ProblemError";
  readonly kind: ProblemCode;
  readonly problem: Problem;

  constructor(kind: ProblemCode, detail?: string, extras: ProblemExtras = {}, cause?: unknown) {
    super(kind, problemDescriptions[kind].title, { cause });
    this.kind = kind;
    this.problem =
      detail === undefined ? usualProblem(kind, extras) : problemOf(kind, detail, extras);
  }
}

export type Path = readonly PropertyKey[];

/** A sentence about the field at a path. */
export function faultAt(path: Path, predicate: string): Fault {
  const name = path.length === 0 ? "The body" : path.map(String).join(".");
  return { pointer: pointerOf(path), detail: `${name} ${predicate}.` };
}

/** The value at a path of a body that may have any shape; `undefined` if there is none, or null. */
export function valueAt(body: unknown, path: Path): unknown {
  const found = path.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, step)
        ? Reflect.get(value, step)
        : undefined,
    body,
  );
  return found ?? undefined;
}

function pointerOf(path: Path): string {
  return path
    .map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}
