import { useEffect, useState } from "preact/hooks";

const listeners = new Set<() => void>();
setInterval(() => {
  for (const listener of listeners) listener();
}, 1_000);

/** Re-renders once a second, for everything that counts time. */
function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const tick = () => setNow(Date.now());
    listeners.add(tick);
    return () => void listeners.delete(tick);
  }, []);
  return now;
}

/** "3 min ago", with the exact time as a tooltip. */
export function Ago({ at }: { readonly at: string }) {
  const seconds = (useNow() - Date.parse(at)) / 1000;
  return (
    <time dateTime={at} title={at}>
      {seconds < 0 ? `in ${duration(-seconds)}` : `${duration(seconds)} ago`}
    </time>
  );
}

/** "10:13:32", with the whole time as a tooltip. */
export function Clock({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at}>
      {new Date(at).toLocaleTimeString("en-GB")}
    </time>
  );
}

/** "15 Nov 2026, 10:13:32" in the browser's time, as a text. */
export function localTime(at: string): string {
  return new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
}

/** "15 Nov 2026, 10:13:32" in the browser's time, with the exact time as a tooltip. */
export function DateTime({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at}>
      {localTime(at)}
    </time>
  );
}

/** The largest unit that fits: "45 s", "3 min", "2 h", "5 days". */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}
