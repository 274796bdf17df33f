import type { Target } from "../operations/target/target.ts";
import type { ReadMetrics } from "../operations/telemetry/metric.ts";
import type { Lab } from "./lab/lab.ts";
import type { Jobs } from "./server/jobs.ts";

/** What every part of the console works with. */
export interface Desk {
  /** The stack. It is found again now and then, because a deployed one may change while the page is open. */
  readonly target: () => Promise<Target>;
  readonly metrics: () => Promise<ReadMetrics>;
  /** False on a deployed stack unless the console was started with --allow-changes. */
  readonly canChange: boolean;
  /** True if pages are told of changes; otherwise they look again at intervals. */
  readonly isLive: boolean;
  /** What only the local stack has. */
  readonly lab: Lab | undefined;
  readonly jobs: Jobs;
  /** Tells every open page to look again. */
  readonly changed: () => void;
}
