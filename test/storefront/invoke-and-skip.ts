import { expect } from "vitest";
import {
  answerMarginMilliseconds,
  createCallMilliseconds,
  storeMilliseconds,
} from "../../shared/timing.ts";
import { writes } from "../integration/fault-proxy.ts";
import type { Instance } from "../integration/instance.ts";

/** With less than this left nothing is sent. */
export const leastMilliseconds =
  createCallMilliseconds + storeMilliseconds + answerMarginMilliseconds;

/** Invokes and, once the order is sent, moves the clock so that five seconds are left; it must end inside them. */
export async function invokeAndSkip(creator: Instance, event: object) {
  const invoked = creator.invoke(event, leastMilliseconds + 3_000);
  await expect.poll(() => creator.faults.calls.filter(writes).length).toBeGreaterThan(1);
  creator.advance(leastMilliseconds - 2_000);
  const startedAt = creator.now();
  const outcome = await invoked;
  expect(creator.now() - startedAt).toBeLessThan(8_000);
  return outcome;
}
