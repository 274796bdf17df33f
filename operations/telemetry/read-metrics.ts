import type { Target } from "../target/target.ts";
import { createDeployedMetrics } from "./deployed-metrics.ts";
import { createLocalMetrics } from "./local-metrics.ts";
import type { ReadMetrics } from "./metric.ts";

/** What the functions of a stack count. Keep the reader: on the local stack it goes on where the last call ended. */
export function createMetrics(target: Target, now: () => number = Date.now): ReadMetrics {
  return target.functionLog === undefined
    ? createDeployedMetrics(target, now)
    : createLocalMetrics(target.functionLog, now);
}
