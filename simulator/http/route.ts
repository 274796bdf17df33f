export interface Visit {
  readonly method: string;
  readonly url: URL;
  readonly contentType: string;
  /** The host that the client named, with its port. */
  readonly host: string;
  /** False if the browser says that a page of another site sent this. */
  readonly sameSite: boolean;
  readonly body: Buffer;
}

/** `reset` closes the connection without an answer. */
export type Answer =
  | { status: number; type?: string; location?: string; body: string; reset?: never }
  | { reset: true };

export interface Route {
  method: "GET" | "POST" | "DELETE";
  path: RegExp;
  /** `parts` are the groups of the path's pattern. */
  handle: (visit: Visit, parts: readonly string[]) => Promise<Answer> | Answer;
}

export function plainText(status: number, body: string): Answer & { reset?: never } {
  return { status, body: `${body}\n` };
}

export function json(status: number, value: unknown): Answer & { reset?: never } {
  return { status, type: "application/json", body: JSON.stringify(value) };
}

export function seeOther(location: string): Answer & { reset?: never } {
  return { status: 303, location, body: "" };
}
