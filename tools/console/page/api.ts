import { aheadHeader } from "../ahead-header.ts";
import { keepNewest } from "../keep-newest.ts";
import { setClockAhead } from "./stack-time.ts";

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

/** The views that look again: at each change on the local stack, at intervals on AWS. */
const listeners = new Set<() => void>();
const pollMilliseconds = 10_000;
const againMilliseconds = 3_000;

/** After a change that was made on this page it is called at once: a page that polls need not wait. */
export function lookNow(): void {
  if (document.visibilityState === "hidden") return;
  for (const listener of listeners) listener();
}

export function onChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Returns a function that ends it. A hidden page rests, and looks again when it is shown. */
export function startLive(isLive: boolean): () => void {
  document.addEventListener("visibilitychange", lookNow);
  const end = isLive ? listen() : poll();
  return () => {
    document.removeEventListener("visibilitychange", lookNow);
    end();
  };
}

/**
 * A browser opens six connections to one address at most, and a stream takes one. So the pages share one stream: the page
 * that has the lock reads it and tells the others. When that page is closed, the next one gets the lock.
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
  // It rejects only if this page ends before it gets the lock.
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
    // The views show that the console does not answer.
    tellAll();
    // The browser connects again by itself, unless it got a refusal: then the console was started again.
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
