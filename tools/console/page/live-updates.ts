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
