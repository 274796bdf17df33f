import { aheadHeader } from "../ahead-header.ts";
import { keepNewest } from "../keep-newest.ts";
import { setClockAhead } from "./stack-time.ts";

/** Why a request failed, in words for the user. */
export class ApiError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError("console-failed", String(error));
}

/** Reads from the console's API. */
export async function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  const text = await call(path, { signal: signal ?? null });
  keepNewest(lastRead, path, text, mostKept);
  return JSON.parse(text);
}

/**
 * The last response per path, so that "back" shows a view immediately at its old scroll position. The view reloads
 * anyway.
 */
export function recall<T>(path: string): T | undefined {
  const text = lastRead.get(path);
  return text === undefined ? undefined : JSON.parse(text);
}

const lastRead = new Map<string, string>();
const mostKept = 20;

/** Posts a change, or a query with a body. */
export async function send<T = object>(path: string, body: object = {}): Promise<T> {
  const text = await call(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return JSON.parse(text);
}

/** Returns the body of a successful response. */
async function call(path: string, init: RequestInit): Promise<string> {
  const answer = await fetch(path, init).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(
      "unreachable",
      "The console does not respond. Check that it is still running.",
    );
  });
  setClockAhead(Number(answer.headers.get(aheadHeader)));
  const text = await answer.text();
  if (answer.ok) return text;
  throw readProblem(text);
}

/** The console's own error. The body of a proxy or of a crash has another form, and is shown as it is. */
function readProblem(text: string): ApiError {
  try {
    const { code, message } = JSON.parse(text).error;
    if (typeof code === "string" && typeof message === "string") return new ApiError(code, message);
  } catch {
    // Not JSON, or without `error`.
  }
  return new ApiError("console-failed", text);
}
