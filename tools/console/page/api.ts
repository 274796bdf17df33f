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

/** The views that reload: on each change on the local stack, at intervals on AWS. */
const listeners = new Set<() => void>();
const pollMilliseconds = 10_000;
const againMilliseconds = 3_000;

/** Reloads the views immediately, so that a polling page does not wait after its own change. */
export function lookNow(): void {
  if (document.visibilityState === "hidden") return;
  for (const listener of listeners) listener();
}

export function onChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Returns a function that stops it. A hidden page pauses, and reloads when it becomes visible. */
export function startLive(isLive: boolean): () => void {
  document.addEventListener("visibilitychange", lookNow);
  const end = isLive ? listen() : poll();
  return () => {
    document.removeEventListener("visibilitychange", lookNow);
    end();
  };
}

/**
 * A browser opens at most six connections to an origin, and a stream takes one of them. So all tabs share one stream:
 * the tab that holds the lock reads it and notifies the others. When that tab closes, the next one gets the lock.
 */
function listen(): () => void {
  const others = new BroadcastChannel("paycast-changes");
  others.addEventListener("message", lookNow);
  const tellAll = () => {
    others.postMessage("changed");
    lookNow();
  };
  const ended = new AbortController();
  const { signal } = ended;
  const holdStream = () => new Promise<void>((resolve) => readStream(tellAll, signal, resolve));
  // Rejects only if this page ends before it gets the lock.
  navigator.locks.request("paycast-stream", { signal }, holdStream).catch(() => undefined);
  return () => {
    ended.abort();
    others.close();
  };
}

/** Reads changes until `signal` is aborted, then calls `over`. */
function readStream(tellAll: () => void, signal: AbortSignal, over: () => void): void {
  const source = new EventSource("/api/live");
  source.addEventListener("changed", tellAll);
  const end = () => {
    source.close();
    over();
  };
  signal.addEventListener("abort", end, { once: true });
  source.addEventListener("error", () => {
    // The views show that the console does not respond.
    tellAll();
    // The browser reconnects by itself, unless the server rejected it: then the console was restarted.
    if (source.readyState !== EventSource.CLOSED) return;
    signal.removeEventListener("abort", end);
    setTimeout(
      () => (signal.aborted ? over() : readStream(tellAll, signal, over)),
      againMilliseconds,
    );
  });
}

function poll(): () => void {
  const timer = setInterval(lookNow, pollMilliseconds);
  return () => clearInterval(timer);
}
