/** Tells the views when to look again: at each change on the local stack, at intervals on AWS. */
type Listener = () => void;

const listeners = new Set<Listener>();
const pollMilliseconds = 10_000;
const againMilliseconds = 3_000;

function tell(): void {
  if (document.visibilityState === "hidden") return;
  for (const listener of listeners) listener();
}

/** After a change that was made on this page: a page that polls need not wait. */
export function lookNow(): void {
  tell();
}

export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Returns a function that ends it. A hidden page rests, and looks again when it is shown. */
export function startLive(isLive: boolean): () => void {
  document.addEventListener("visibilitychange", tell);
  const end = isLive ? listen() : poll();
  return () => {
    document.removeEventListener("visibilitychange", tell);
    end();
  };
}

/**
 * A browser opens six connections to one address at most, and a stream takes one. So the pages share one stream: the page
 * that has the lock reads it and tells the others. When that page is closed, the next one gets the lock.
 */
function listen(): () => void {
  const others = new BroadcastChannel("paycast-changes");
  others.addEventListener("message", tell);
  const tellAll = () => {
    others.postMessage("changed");
    tell();
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
  const timer = setInterval(tell, pollMilliseconds);
  return () => clearInterval(timer);
}
