import { keepNewest } from "../keep-newest.ts";

/** Why a request of the page failed, in words for its user. */
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

/** Reads a view of the console's own API. */
export async function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  const text = await call(path, { signal: signal ?? null });
  keepNewest(lastRead, path, text, mostKept);
  return JSON.parse(text);
}

/** What was read last, so that "back" shows a view at once and at its old place. It is read again all the same. */
export function recall<T>(path: string): T | undefined {
  const text = lastRead.get(path);
  return text === undefined ? undefined : JSON.parse(text);
}

const lastRead = new Map<string, string>();
const mostKept = 20;

/** Asks for a change, or a longer question. */
export async function send<T = object>(path: string, body: object = {}): Promise<T> {
  const text = await call(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return JSON.parse(text);
}

/** Gives the text of a good answer. */
async function call(path: string, init: RequestInit): Promise<string> {
  const answer = await fetch(path, init).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError("unreachable", "The console does not answer. Does it still run?");
  });
  const text = await answer.text();
  if (answer.ok) return text;
  const { error } = readProblem(text);
  throw new ApiError(error.code, error.message);
}

function readProblem(text: string): { error: { code: string; message: string } } {
  try {
    return JSON.parse(text);
  } catch {
    return { error: { code: "console-failed", message: text } };
  }
}
