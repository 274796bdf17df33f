import type { Target } from "../operations/ports/target.ts";
import type { Jobs } from "./server/jobs.ts";

/** The context that every route gets. */
export interface ConsoleContext {
  /** The stack. It is reloaded at intervals, because a deployed one may change while the page is open. */
  readonly target: () => Promise<Target>;
  /** True if the server notifies pages of changes; otherwise they poll. */
  readonly isLive: boolean;
  /** Only on the local stack. Without it the console is read-only. */
  readonly lab: Lab | undefined;
  readonly jobs: Jobs;
  /** Tells every open page to reload. */
  readonly changed: () => void;
}

/** How far the stack's clock is ahead of this machine's. Only the local stack's clock can be moved. */
export function aheadMilliseconds(lab: Lab | undefined): number {
  return lab?.aheadMilliseconds() ?? 0;
}

/** The stack's time, with which pages compare stored times. */
export function stackNow(lab: Lab | undefined): number {
  return Date.now() + aheadMilliseconds(lab);
}

/** A service that the Lab can make unavailable. */
export type Outage = "sqs" | "dynamodb";

/** The consumer of a subscriber's queue. It stands in for another team's code. */
export interface Consumer {
  readonly mode: "nobody" | "reads" | "fails" | "fails-on-type";
  /** The event type on which it fails, with `fails-on-type`. */
  readonly type?: string | undefined;
}

interface Breakage {
  /** The services that reject every call of the functions. */
  readonly outages: readonly Outage[];
  /** The subscribers whose queue rejects every event, like a deleted queue. */
  readonly brokenSubscribers: readonly string[];
}

/**
 * The local stack's switches, which `npm start` passes to the console. They affect only the functions: the console can
 * always read.
 */
export interface Lab {
  readonly breakage: () => Breakage;
  readonly setOutage: (service: Outage, isOn: boolean) => void;
  readonly setBroken: (subscriber: string, isBroken: boolean) => void;
  /** By subscriber. A queue that is not listed has no consumer. */
  readonly consumers: () => Readonly<Record<string, Consumer>>;
  /** Resolves when the change has taken effect. */
  readonly setConsumer: (subscriber: string, consumer: Consumer) => Promise<void>;
  /** Returns each failing consumer to its previous mode. */
  readonly restoreConsumers: () => Promise<void>;
  /** The time of the last receive on the subscriber's queue, by any consumer. */
  readonly readAt: (subscriber: string) => string | undefined;
  /** How far the stack's clock is ahead of this machine's. */
  readonly aheadMilliseconds: () => number;
  /** Moves the clock of the whole stack forward. Everything that becomes due happens first. */
  readonly jump: (milliseconds: number) => Promise<void>;
  /** Runs reconcile-orders immediately and waits until it ends. */
  readonly reconcileNow: () => Promise<void>;
}
