/** Tells the views when to look again: at each change on the local stack, at intervals on AWS. */
type Listener = () => void;

const listeners = new Set<Listener>();
const pollMilliseconds = 10_000;

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

function listen(): () => void {
  const source = new EventSource("/api/live");
  source.addEventListener("changed", tell);
  // The browser connects again by itself; the views show meanwhile that the console does not answer.
  source.addEventListener("error", tell);
  return () => source.close();
}

function poll(): () => void {
  const timer = setInterval(tell, pollMilliseconds);
  return () => clearInterval(timer);
}
