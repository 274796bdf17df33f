/** An event name, or a pattern that matches several. */
export type PaycastEventPattern =
  | "payment.order.confirming"
  | "payment.order.timeout"
  | "payment.order.success"
  | "payment.order.failed"
  | "payment.refund.success"
  | "payment.refund.failed"
  | "payment.order.*"
  | "payment.refund.*"
  | "*";

export interface PaycastSubscriber {
  /** Lower case words with dashes, at most 32 characters. */
  readonly name: string;
  /** Event names, or the patterns `payment.order.*`, `payment.refund.*` and `*`. */
  readonly types: readonly PaycastEventPattern[];
  /**
   * Only the events of these merchants.
   * @default all merchants
   */
  readonly merchants?: readonly string[] | undefined;
  /**
   * A FIFO queue, on which the events of an order arrive in order; `false` makes a standard queue.
   * @default true
   */
  readonly ordered?: boolean | undefined;
  /** Ids of other AWS accounts that may read and delete the messages of the queue and of its dead letters. */
  readonly readers?: readonly string[] | undefined;
  /**
   * ARNs of the team's roles, like the config's `operators`, that may send to this one queue: a redrive of its dead
   * letters by the team itself needs it.
   * @default none
   */
  readonly operators?: readonly string[] | undefined;
  /**
   * The longest timeout of the function that reads the queue, from 30 to 900 seconds. The queue hides a message that
   * was received for six times as long.
   * @default 30
   */
  readonly consumerTimeoutSeconds?: number | undefined;
  /**
   * How long an event may wait in the queue before an alarm starts.
   * @default 15
   */
  readonly maxWaitMinutes?: number | undefined;
}
