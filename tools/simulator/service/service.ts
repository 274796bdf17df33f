import { CallbackSender } from "../callbacks/callback-sender.ts";
import { postCallback } from "../callbacks/post-callback.ts";
import { FaultBoard } from "../faults/fault-board.ts";
import { type Merchant, readMerchant, type SimulatorMerchant } from "../merchants/merchant.ts";
import { type RotatedKeys, type RotateOptions, rotateKeys } from "../merchants/rotate-keys.ts";
import type { Order, Refund } from "../orders/order.ts";
import { Refusal, refusalCodes } from "../orders/refusal.ts";
import { Clock } from "./clock.ts";
import { Payments, type RepeatedOrderNo } from "./payments.ts";
import { awaitRefund, type RefundRequest, startRefund } from "./refunds.ts";

export interface ServiceOptions {
  merchants: readonly SimulatorMerchant[];
  /** Simulated seconds per real second. 0 stops the clock. Default 1. */
  clockSpeed?: number | undefined;
  /** The receiver's time, which timestamps on the wire come from. Default: this machine's. */
  now?: (() => number) | undefined;
  /**
   * Moves everything forward that shares the clock, including the service. Default: only the service, whose timestamps
   * then stay at real time.
   */
  jump?: ((milliseconds: number) => Promise<void>) | undefined;
  /** If set, all callbacks go to this address and not to the orders' callbackUrl. */
  callbackUrl?: string | undefined;
  /** A retry repeats the first envelope byte for byte (default), or has a new timestamp and signature. */
  retries?: "identical" | "resealed" | undefined;
  /** The response to a second create with the same order number. Default: the first payment, for the same content. */
  repeatedOrderNo?: RepeatedOrderNo | undefined;
  /** A query for a payment with a refund returns the payment's own status (default) or the refund's (§3.2). */
  refundedPayments?: "payment" | "refund" | undefined;
  /** Whether an order's amount and tax must be the sums over its goods, as §2.4 says they should. Default true. */
  exactSums?: boolean | undefined;
  /** How long a payment is confirming and a refund is refunding, on the simulator's clock. Default 2. */
  processingSeconds?: number | undefined;
  /** How far the timestamp of a request may differ from the receiver's time. Default 300. */
  requestWindowSeconds?: number | undefined;
  /** How long the simulator waits for the response to a callback, in real seconds. Default 10. */
  callbackTimeoutSeconds?: number | undefined;
  /** Called with new keys before they are used, so that the merchant can store them first. */
  onRotate?: ((rotated: RotatedKeys) => Promise<void> | void) | undefined;
  /** Receives one line for each request, callback, fault change and error, without secrets. */
  log?: ((line: string) => void) | undefined;
}

/** The payment service, without HTTP. */
export class Service {
  readonly merchants: ReadonlyMap<string, Merchant>;
  readonly clock: Clock;
  readonly faults: FaultBoard;
  readonly callbacks: CallbackSender;
  readonly payments: Payments;
  readonly requestWindowSeconds: number;
  readonly callbackUrl: string | undefined;
  readonly refundedPayments: "payment" | "refund";
  readonly exactSums: boolean;
  readonly log: (line: string) => void;
  readonly #options: ServiceOptions;
  readonly #stop = new AbortController();

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.log = options.log ?? (() => {});
    this.faults = new FaultBoard(this.log);
    this.callbackUrl = options.callbackUrl;
    this.exactSums = options.exactSums ?? true;
    this.refundedPayments = options.refundedPayments ?? "payment";
    this.requestWindowSeconds = options.requestWindowSeconds ?? 300;
    this.merchants = new Map(
      options.merchants.map((merchant) => [merchant.merchantId, readMerchant(merchant)]),
    );
    const onError = (error: unknown) => this.log(`failed: ${error}`);
    this.clock = new Clock(options.clockSpeed ?? 1, onError, options.now);
    this.callbacks = this.#newSender();
    this.payments = new Payments({
      clock: this.clock,
      callbacks: this.callbacks,
      confirmingSeconds: this.#processingSeconds,
      repeatedOrderNo: options.repeatedOrderNo ?? "same",
    });
  }

  refund(order: Order, request: RefundRequest): Refund {
    const { clock, callbacks } = this;
    return startRefund(order, request, {
      clock,
      callbacks,
      refundingSeconds: this.#processingSeconds,
    });
  }

  async jump(milliseconds: number): Promise<void> {
    if (this.#options.jump === undefined) this.clock.jump(milliseconds);
    else await this.#options.jump(milliseconds);
  }

  /** Restores an order of an earlier start. The sender resumes its callbacks. */
  restore(order: Order): void {
    this.payments.restore(order);
    for (const refund of order.refunds) {
      if (refund.status === "refunding") awaitRefund(order, refund, this);
    }
  }

  async rotate(merchantId: string, options: RotateOptions): Promise<RotatedKeys> {
    const rotated = await rotateKeys(this.merchant(merchantId), options, async (keys) => {
      await this.#options.onRotate?.(keys);
    });
    this.log(`keys of ${merchantId} rotated`);
    return rotated;
  }

  /** Default: the first merchant. */
  merchant(merchantId?: string): Merchant {
    const [first] = this.merchants.values();
    const merchant = merchantId === undefined ? first : this.merchants.get(merchantId);
    if (merchant !== undefined) return merchant;
    throw new Refusal(refusalCodes.unknownMerchant, "merchantId is not known");
  }

  order(paymentId: string): Order {
    const order = this.payments.find(paymentId);
    if (order !== undefined) return order;
    throw new Refusal(refusalCodes.unknownPayment, "paymentId is not known");
  }

  async stop(): Promise<void> {
    this.clock.stop();
    this.#stop.abort();
    await this.clock.settled();
  }

  get #processingSeconds(): number {
    return this.#options.processingSeconds ?? 2;
  }

  #newSender(): CallbackSender {
    const { retries, callbackTimeoutSeconds } = this.#options;
    const timeoutMilliseconds = (callbackTimeoutSeconds ?? 10) * 1000;
    return new CallbackSender({
      clock: this.clock,
      faults: this.faults,
      post: (url, body) => postCallback(url, body, timeoutMilliseconds, this.#stop.signal),
      callbackUrl: this.callbackUrl,
      retries: retries ?? "identical",
      log: this.log,
    });
  }
}
