import type { ServiceClock } from "../../../operations/calling/service-control.ts";
import { span, useNow } from "./time.tsx";

/** The payment service's clock now: it goes on between two looks. */
export function useServiceClock({ now, speed, aheadSeconds }: ServiceClock) {
  const realMilliseconds = useNow();
  const readMilliseconds = Date.parse(now) - aheadSeconds * 1000;
  const passedSeconds = Math.max(0, realMilliseconds - readMilliseconds) / 1000;
  const ahead = aheadSeconds + passedSeconds * (speed - 1);
  return { at: new Date(realMilliseconds + ahead * 1000).toISOString(), aheadSeconds: ahead };
}

/** "is 2 h 5 min ahead of real time and runs 10 times as fast". Undefined if it is like any other clock. */
export function describeClock({ speed }: ServiceClock, aheadSeconds: number): string | undefined {
  const ahead = describeAhead(aheadSeconds);
  if (speed === 1) return ahead && `is ${ahead}`;
  return ahead === undefined ? describePace(speed) : `is ${ahead} and ${describePace(speed)}`;
}

export function describeAhead(aheadSeconds: number): string | undefined {
  const seconds = Math.abs(aheadSeconds);
  if (seconds < 1) return undefined;
  return `${span(seconds)} ${aheadSeconds > 0 ? "ahead of" : "behind"} real time`;
}

export function describePace(speed: number): string {
  if (speed === 0) return "stands still";
  return speed === 1 ? "runs in real time" : `runs ${speed} times as fast`;
}
