import { expect } from "vitest";
import { writes } from "../integration/fault-proxy.ts";
import type { Instance } from "../integration/instance.ts";
import { makeBarrier } from "./openssl-shop.ts";

/**
 * Holds the instance between its read and its write: after `skip` writes, the next one waits, and its repeats, which the
 * instance makes every two seconds. Not for long: after some seconds it gives up, so a test starts what else it needs before.
 */
export function holdWrite({ faults }: Instance, skip = 0) {
  const barrier = makeBarrier();
  const before = faults.calls.filter(writes).length;
  faults.fail(writes, { kind: "hold", until: barrier.opened }, { skip });
  const isHeld = () => faults.calls.filter(writes).length > before + skip;
  return {
    held: () => expect.poll(isHeld, { timeout: 9_000 }).toBe(true),
    release: barrier.open,
  };
}
