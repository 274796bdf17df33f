import type { Audit } from "./audit.ts";
import type { Clock } from "./clock.ts";
import type { Functions } from "./functions.ts";
import type { Keys } from "./keys.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { Orders } from "./orders.ts";
import type { Queues } from "./queues.ts";
import type { Records } from "./records.ts";
import type { Stack } from "./stack.ts";

/** The stack that an operation works on. An operation takes the ports that it uses. */
export interface Target {
  readonly stack: Stack;
  readonly clock: Clock;
  readonly orders: Orders;
  readonly records: Records;
  readonly queues: Queues;
  readonly keys: Keys;
  readonly functions: Functions;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly audit: Audit;
}

/** A target with its connections. */
export interface ConnectedTarget extends Target {
  /** The same stack over the same connections. A deployed stack may have changed. */
  readonly findAgain: () => Promise<ConnectedTarget>;
  readonly close: () => void;
}

/** Makes something once for each target, and keeps it as long as the target is in use. */
export function keptFor<Ports extends object, Made>(
  make: (target: Ports) => Made,
): (target: Ports) => Made {
  const made = new WeakMap<Ports, Made>();
  return (target) => {
    const kept = made.get(target) ?? make(target);
    made.set(target, kept);
    return kept;
  };
}
