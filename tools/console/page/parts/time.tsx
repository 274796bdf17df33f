import { useEffect, useState } from "preact/hooks";
import { durationText, spanText } from "../../../../shared/text/number-text.ts";
import type { ServiceClock } from "../../../operations/calling/service-control.ts";
import { stackNow } from "../stack-time.ts";

/** The console shows every time in UTC, like the logs and the command. */
export const timeZone = "UTC";

const listeners = new Set<() => void>();
setInterval(() => {
  for (const listener of listeners) listener();
}, 1_000);

/** Re-renders once a second, for relative times. */
export function useNow(): number {
  const [now, setNow] = useState(stackNow());
  useEffect(() => {
    const tick = () => setNow(stackNow());
    listeners.add(tick);
    return () => void listeners.delete(tick);
  }, []);
  return now;
}

interface TimeProps {
  /** RFC 3339 */
  readonly at: string;
}

/** Shows `text`. The tooltip has the exact time, in UTC and in the viewer's time zone. */
function Time({ at, text }: TimeProps & { readonly text: string }) {
  return (
    <time dateTime={at} title={`${utc(at)}, ${viewerTime(at)} in your time zone`}>
      {text}
    </time>
  );
}

/** "15 Nov 2026, 11:13:32" in the viewer's time zone. */
function viewerTime(at: string): string {
  return new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
}

/** "3 min ago" */
export function Ago({ at }: TimeProps) {
  const seconds = (useNow() - Date.parse(at)) / 1000;
  const text = seconds < 0 ? `in ${durationText(-seconds)}` : `${durationText(seconds)} ago`;
  return <Time at={at} text={text} />;
}

/** "10:13:32", as a text. */
export function clockText(at: string): string {
  return new Date(at).toLocaleTimeString("en-GB", { timeZone });
}

/** "10:13:32" */
export function Clock({ at }: TimeProps) {
  return <Time at={at} text={clockText(at)} />;
}

/** "15 Nov 2026, 10:13:32 UTC", as a text. */
export function wholeTime(at: string): string {
  const style = { dateStyle: "medium", timeStyle: "medium", timeZone } as const;
  return `${new Date(at).toLocaleString("en-GB", style)} UTC`;
}

/** "15 Nov 2026, 10:13:32 UTC" */
export function DateTime({ at }: TimeProps) {
  return <Time at={at} text={wholeTime(at)} />;
}

/** "2026-11-15 09:13:32 UTC" */
function utc(at: string): string {
  const milliseconds = Date.parse(at);
  if (Number.isNaN(milliseconds)) return at;
  return `${new Date(milliseconds).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** "10:13 UTC" for today, otherwise "15 Nov, 10:13 UTC". For use in a sentence. */
export function shortTime(at: string): string {
  const today = new Date(stackNow()).toISOString().slice(0, 10);
  const clock = `${minuteText(at)} UTC`;
  if (new Date(at).toISOString().startsWith(today)) return clock;
  return `${dayText(at)}, ${clock}`;
}

/** "10:13" */
export function minuteText(at: string): string {
  return new Date(at).toLocaleTimeString("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    timeZone,
  });
}

/** "15 Nov" */
export function dayText(at: string): string {
  return new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone });
}

export function ShortTime({ at }: TimeProps) {
  return <Time at={at} text={shortTime(at)} />;
}

/** How far the payment service's clock is ahead of the stack's. Keeps ticking between polls. */
export function useServiceAhead({ now, speed, aheadSeconds }: ServiceClock): number {
  const readMilliseconds = Date.parse(now) - aheadSeconds * 1000;
  const passedSeconds = Math.max(0, useNow() - readMilliseconds) / 1000;
  return aheadSeconds + passedSeconds * (speed - 1);
}

/** "is 2 h 5 min ahead of the stack and runs 10 times as fast". Undefined if both clocks agree. */
export function describeService({ speed }: ServiceClock, aheadSeconds: number): string | undefined {
  const ahead = describeAhead(aheadSeconds, "the stack");
  if (speed === 1) return ahead && `is ${ahead}`;
  return ahead === undefined ? describePace(speed) : `is ${ahead} and ${describePace(speed)}`;
}

/** "2 h 5 min ahead of real time". Undefined if both agree. */
export function describeAhead(aheadSeconds: number, other: string): string | undefined {
  const seconds = Math.abs(aheadSeconds);
  if (seconds < 1) return undefined;
  return `${spanText(seconds)} ${aheadSeconds > 0 ? "ahead of" : "behind"} ${other}`;
}

function describePace(speed: number): string {
  if (speed === 0) return "has a stopped clock";
  return speed === 1 ? "runs in real time" : `runs ${speed} times as fast`;
}
