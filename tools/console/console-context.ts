import type { Target } from "../operations/target/target.ts";
import type { ReadMetrics } from "../operations/telemetry/metric.ts";
import type { Jobs } from "./server/jobs.ts";

/** What every part of the console works with. */
export interface ConsoleContext {
  /** The stack. It is found again now and then, because a deployed one may change while the page is open. */
  readonly target: () => Promise<Target>;
  readonly metrics: () => Promise<ReadMetrics>;
  /** True if pages are told of changes; otherwise they look again at intervals. */
  readonly isLive: boolean;
  /** What only the local stack has. Without it nothing can be changed. */
  readonly lab: Lab | undefined;
  readonly jobs: Jobs;
  /** Tells every open page to look again. */
  readonly changed: () => void;
}

/** What can be taken away from the local stack, and given back. */
export type Outage = "sqs" | "dynamodb";

/** Who reads a subscriber's queue: the local stack has no code of other teams. */
export interface Consumer {
  readonly mode: "nobody" | "reads" | "fails" | "fails-on-type";
  /** The type of event on which it fails, if it fails on one only. */
  readonly type?: string | undefined;
}

interface Breakage {
  /** The services that refuse every call of the functions. */
  readonly outages: readonly Outage[];
  /** The subscribers whose queue refuses every event, as a deleted queue does. */
  readonly brokenSubscribers: readonly string[];
}

/** The local stack's switches, which `npm start` gives to the console. They are about the functions only: the console itself can always look. */
export interface Lab {
  readonly breakage: () => Breakage;
  readonly setOutage: (service: Outage, isOn: boolean) => void;
  readonly setBroken: (subscriber: string, isBroken: boolean) => void;
  /** By subscriber. Nobody reads the queues that are left out. */
  readonly consumers: () => Readonly<Record<string, Consumer>>;
  /** Resolves when it has taken effect. */
  readonly setConsumer: (subscriber: string, consumer: Consumer) => Promise<void>;
  /** Each consumer that fails becomes what it was before. */
  readonly restoreConsumers: () => Promise<void>;
  /** When anybody last asked for a message of the subscriber's queue, also somebody's own worker. */
  readonly readAt: (subscriber: string) => string | undefined;
  /** How far the clock of the stack is ahead of this machine's. */
  readonly aheadMilliseconds: () => number;
  /** Moves the clock of the whole stack forward. What is due on the way happens first. */
  readonly jump: (milliseconds: number) => Promise<void>;
  /** Runs reconcile-orders now instead of at its next minute, and waits until it has ended. */
  readonly reconcileNow: () => Promise<void>;
}
