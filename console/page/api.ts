/** Why a request of the page failed, in words for its user. */
export class ApiError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Reads a view of the console's own API. */
export async function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  return await call<T>(path, { signal: signal ?? null });
}

/** Asks for a change, or a longer question. */
export async function send<T = object>(path: string, body: object = {}): Promise<T> {
  return await call<T>(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function call<T>(path: string, init: RequestInit): Promise<T> {
  const answer = await fetch(path, init).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError("unreachable", "The console does not answer. Does it still run?");
  });
  const text = await answer.text();
  if (answer.ok) return JSON.parse(text);
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
