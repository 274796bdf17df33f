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
  /** When anybody last asked for a message of the subscriber's queue, also somebody's own worker. */
  readonly readAt: (subscriber: string) => string | undefined;
  /** Runs reconcile-orders now instead of at its next minute, and waits until it has ended. */
  readonly reconcileNow: () => Promise<void>;
}
