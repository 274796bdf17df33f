import type * as z from "zod";
import { describeIssues } from "../../../shared/errors/describe-issues.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { explainError } from "../../operations/explain-error.ts";
import { decodePathPart } from "../path-part.ts";

export interface ApiRequest {
  /** The variable parts of the path, by name. */
  readonly parts: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** Aborted when the browser disconnects. */
  readonly signal: AbortSignal;
}

/** One path of the console's API: JSON in, JSON out. */
export interface ApiRoute {
  readonly method: "GET" | "POST";
  /** "/api/orders/:orderNo" */
  readonly path: string;
  /** Rejected on a deployed stack. */
  readonly changes: boolean;
  readonly handle: (request: ApiRequest) => Promise<unknown>;
}

/** A read. */
export function view(path: string, handle: (request: ApiRequest) => Promise<unknown>): ApiRoute {
  return { method: "GET", path, changes: false, handle };
}

type WithBody<Body> = (body: Body, request: ApiRequest) => Promise<unknown>;

/** A read with a body. It changes nothing. */
export function viewWithBody<Body>(
  path: string,
  schema: z.ZodType<Body>,
  handle: WithBody<Body>,
): ApiRoute {
  const parsed = async (request: ApiRequest) =>
    await handle(readAsked(schema, request.body), request);
  return { method: "POST", path, changes: false, handle: parsed };
}

/** The validated input of a request. Throws `wrong-usage`, which names the invalid fields. */
function readAsked<T>(schema: z.ZodType<T>, asked: unknown): T {
  const read = schema.safeParse(asked);
  if (read.success) return read.data;
  throw new PaycastError("wrong-usage", describeIssues(read.error, "The request"));
}

export function readQuery<T>(schema: z.ZodType<T>, { query }: ApiRequest): T {
  return readAsked(schema, Object.fromEntries(query));
}

/** A change. */
export function change<Body>(
  path: string,
  schema: z.ZodType<Body>,
  handle: WithBody<Body>,
): ApiRoute {
  return { ...viewWithBody(path, schema, handle), changes: true };
}

export interface FoundRoute {
  readonly route: ApiRoute;
  readonly parts: Readonly<Record<string, string>>;
}

export function findRoute(
  routes: readonly ApiRoute[],
  method: string,
  pathname: string,
): FoundRoute | undefined {
  for (const route of routes) {
    const parts = route.method === method ? matchPath(route.path, pathname) : undefined;
    if (parts !== undefined) return { route, parts };
  }
  return undefined;
}

function matchPath(pattern: string, pathname: string): Record<string, string> | undefined {
  const wanted = pattern.split("/");
  const given = pathname.split("/");
  if (wanted.length !== given.length) return undefined;
  const parts: Record<string, string> = {};
  for (const [index, name] of wanted.entries()) {
    const text = decodePathPart(given[index] ?? "");
    if (text === undefined) return undefined;
    if (name.startsWith(":")) parts[name.slice(1)] = text;
    else if (name !== text) return undefined;
  }
  return parts;
}

export interface ErrorAnswer {
  readonly status: number;
  readonly body: { readonly error: { readonly code: string; readonly message: string } };
}

const statuses: Readonly<Record<string, number>> = {
  "not-found": 404,
  "nothing-stored": 404,
  "target-not-found": 502,
  "target-incomplete": 502,
  "ambiguous-id": 409,
  "foreign-letter": 409,
  "time-out-of-range": 400,
  "wrong-usage": 400,
};

/** What the page shows when a request fails: the error and what to do. */
export function errorAnswer(thrown: unknown): ErrorAnswer {
  const error = explainError(thrown);
  if (error === undefined) return answer(500, "console-failed", String(thrown));
  const status = statuses[error.code] ?? (/^(aws|gateway)-/.test(error.code) ? 502 : 500);
  return answer(status, error.code, error.message);
}

export function messageOf(thrown: unknown): string {
  return errorAnswer(thrown).body.error.message;
}

export function answer(status: number, code: string, message: string): ErrorAnswer {
  return { status, body: { error: { code, message } } };
}
