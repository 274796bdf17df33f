/** What can be taken away from the local stack, and given back. */
export type Outage = "sqs" | "dynamodb";

export interface Breakage {
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
  /** Runs reconcile-orders now instead of at its next minute, and waits until it has ended. */
  readonly reconcileNow: () => Promise<void>;
}
