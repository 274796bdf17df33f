import { useEffect, useState } from "preact/hooks";
import { durationText, spanText } from "../../../../shared/number-text.ts";
import type { ServiceClock } from "../../../operations/calling/service-control.ts";
import { stackNow } from "../stack-time.ts";

const listeners = new Set<() => void>();
setInterval(() => {
  for (const listener of listeners) listener();
}, 1_000);

/** Re-renders once a second, for everything that counts time. */
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

/** As the text tells it, with the exact time in UTC as a tooltip. */
function Time({ at, text, title = utc(at) }: TimeProps & { text: string; title?: string }) {
  return (
    <time dateTime={at} title={title}>
      {text}
    </time>
  );
}

/** "3 min ago", with the exact time as a tooltip, also in UTC. */
export function Ago({ at }: TimeProps) {
  const seconds = (useNow() - Date.parse(at)) / 1000;
  const text = seconds < 0 ? `in ${durationText(-seconds)}` : `${durationText(seconds)} ago`;
  return <Time at={at} text={text} title={`${localTime(at)} (${utc(at)})`} />;
}

/** "10:13:32", as a text. */
export function clockText(at: string): string {
  return new Date(at).toLocaleTimeString("en-GB");
}

/** "10:13:32" */
export function Clock({ at }: TimeProps) {
  return <Time at={at} text={clockText(at)} />;
}

/** "15 Nov 2026, 10:13:32" in the browser's time, as a text. */
export function localTime(at: string): string {
  return new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
}

/** "15 Nov 2026, 10:13:32" in the browser's time. */
export function DateTime({ at }: TimeProps) {
  return <Time at={at} text={localTime(at)} />;
}

/** "2026-11-15 09:13:32 UTC" */
function utc(at: string): string {
  const milliseconds = Date.parse(at);
  if (Number.isNaN(milliseconds)) return at;
  return `${new Date(milliseconds).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** "10:13" of today, otherwise "15 Nov, 10:13", in the browser's time: for a sentence. */
export function shortTime(at: string): string {
  const time = new Date(at);
  const clock = time.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  if (time.toDateString() === new Date(stackNow()).toDateString()) return clock;
  return `${time.toLocaleDateString("en-GB", { day: "numeric", month: "short" })}, ${clock}`;
}

export function ShortTime({ at }: TimeProps) {
  return <Time at={at} text={shortTime(at)} />;
}

/** How far the payment service is ahead of the stack's clock now: it goes on between two looks. */
export function useServiceAhead({ now, speed, aheadSeconds }: ServiceClock): number {
  const readMilliseconds = Date.parse(now) - aheadSeconds * 1000;
  const passedSeconds = Math.max(0, useNow() - readMilliseconds) / 1000;
  return aheadSeconds + passedSeconds * (speed - 1);
}

/** "is 2 h 5 min ahead of the stack and runs 10 times as fast". Undefined if it is like any other clock. */
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
  if (speed === 0) return "stands still";
  return speed === 1 ? "runs in real time" : `runs ${speed} times as fast`;
}
