import { afterEach, beforeAll, beforeEach, expect } from "vitest";
import type { TourRun } from "../../../tools/console/tour/play-scenario.ts";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { type Console, openConsole } from "./open-console.ts";

export const tourSpeed = 7;
/** All in order: a queue without order may hold an event twice, and then the sentences say so. */
const subscribers = [
  { name: "fulfilment", types: ["payment.order.success", "payment.refund.*"] },
  { name: "order-history", types: ["*"] },
  { name: "analytics", types: ["payment.order.*"] },
];

/** A stack for scenarios of the tour. However one ends, it must leave the stack as it was. */
export function useTourStack() {
  const operated = useOperatedStack({ subscribers }, tourSpeed);
  let opened: Console;
  let before: { readonly aheadSeconds: number; readonly now: string };
  beforeAll(async () => {
    opened = await openConsole(operated.stack().description.console);
  });
  beforeEach(async () => {
    before = (await opened.view("/api/lab")).clock.service;
  });
  afterEach(async () => {
    const {
      breakage,
      faults,
      clock: { service: clock },
    } = await opened.view("/api/lab");
    expect({ breakage, faults, speed: clock.speed }).toEqual({
      breakage: { outages: [], brokenSubscribers: [] },
      faults: [],
      speed: tourSpeed,
    });
    // As if nothing had been played. A scenario may miss it by the time of a request.
    const passedSeconds = (Date.parse(clock.now) - Date.parse(before.now)) / 1_000 / tourSpeed;
    const expected = before.aheadSeconds + passedSeconds * (tourSpeed - 1);
    expect(Math.abs(clock.aheadSeconds - expected)).toBeLessThan(5);
  });
  return { operated, console: () => opened };
}

/** What was found for the claims that do not hold. */
export function failedClaims({ proof }: Pick<TourRun, "proof">): string[] {
  return proof?.claims.filter(({ holds }) => !holds).map(({ found }) => found) ?? [];
}
