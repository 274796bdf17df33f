import { createHash, randomBytes } from "node:crypto";
import type { CallbackSender } from "../callbacks/callback-sender.ts";
import type { Merchant } from "../merchants/merchant.ts";
import type { CreateBody } from "../orders/create-body.ts";
import { amountOf } from "../orders/create-rules.ts";
import { readMoney } from "../orders/money.ts";
import {
  type EventName,
  newTransactionId,
  type Order,
  type PaymentStatus,
  type Refund,
  type Submission,
} from "../orders/order.ts";
import { Refusal, refusalCodes } from "../orders/refusal.ts";
import { paymentResult } from "../orders/result-object.ts";
import type { Clock } from "./clock.ts";

export interface SubmitOptions {
  /** In any status: late, or again with another transaction. */
  readonly force?: boolean;
  /** Instead of the usual time (`PaymentsDependencies`). */
  readonly confirmingSeconds?: number;
}

/** What the service does with a repeated order number. The interface does not say. */
export type RepeatedOrderNo = "same" | "new" | "refuse";

export interface PaymentsDependencies {
  clock: Clock;
  callbacks: CallbackSender;
  /** How long a payment is `confirming`, on the simulator's clock. */
  confirmingSeconds: number;
  repeatedOrderNo: RepeatedOrderNo;
}

/** All orders, and their moves between the statuses of §3.1. */
export class Payments {
  readonly #use: PaymentsDependencies;
  readonly #orders = new Map<string, Order>();
  /** The latest order for each order number of a merchant. */
  readonly #latest = new Map<string, Order>();

  constructor(dependencies: PaymentsDependencies) {
    this.#use = dependencies;
  }

  /** Newest first. */
  list(): Order[] {
    return [...this.#orders.values()].reverse();
  }

  find(paymentId: string): Order | undefined {
    return this.#orders.get(paymentId);
  }

  findRefund(refundId: string): { order: Order; refund: Refund } | undefined {
    for (const order of this.#orders.values()) {
      const refund = order.refunds.find((candidate) => candidate.refundId === refundId);
      if (refund !== undefined) return { order, refund };
    }
    return undefined;
  }

  create(
    merchant: Merchant,
    body: CreateBody,
    options: { shortens?: boolean; numbersPayment?: boolean } = {},
  ): Order {
    const isNumberShort = options.shortens ?? false;
    const paymentId = options.numbersPayment ? newNumber() : newPaymentId();
    const order = { ...newOrder(merchant, body, this.#use.clock), paymentId, isNumberShort };
    const earlier = this.#latest.get(numberKey(order));
    if (earlier !== undefined && this.#use.repeatedOrderNo !== "new") {
      return this.#repeated(earlier, order);
    }
    this.#add(order);
    return order;
  }

  /** The customer submits the payment (§3.1). It is confirming first and has its outcome later. */
  submit(order: Order, outcome: "success" | "failed", options: SubmitOptions = {}): void {
    if (order.status !== "pending" && !options.force) {
      throw new Refusal(refusalCodes.wrongState, `the order is ${order.status}, not pending`);
    }
    const submittedMilliseconds = this.#use.clock.nowMilliseconds();
    const { confirmingSeconds = this.#use.confirmingSeconds } = options;
    const dueMilliseconds = submittedMilliseconds + confirmingSeconds * 1000;
    const submission = { outcome, transactionId: newTransactionId(), dueMilliseconds };
    const { transactionId } = submission;
    this.#move(order, submittedMilliseconds, { status: "confirming", transactionId });
    order.submissions = [...order.submissions, submission];
    this.#awaitOutcome(order, submission);
  }

  /** Restores an order of an earlier start, with everything that it waits for. */
  restore(order: Order): void {
    this.#add(order);
    for (const submission of order.submissions) this.#awaitOutcome(order, submission);
  }

  /** Ends a pending order with timeout, even before its expiry time. */
  expire(order: Order): void {
    if (order.status !== "pending") {
      throw new Refusal(refusalCodes.wrongState, `the order is ${order.status}, not pending`);
    }
    this.#expireAt(order, this.#use.clock.nowMilliseconds());
  }

  #add(order: Order): void {
    this.#orders.set(order.paymentId, order);
    this.#latest.set(numberKey(order), order);
    if (order.status !== "pending") return;
    this.#use.clock.at(order.expiresMilliseconds, () =>
      this.#expireAt(order, order.expiresMilliseconds),
    );
  }

  #awaitOutcome(order: Order, submission: Submission): void {
    const { outcome, transactionId, dueMilliseconds } = submission;
    this.#use.clock.at(dueMilliseconds, () => {
      order.submissions = order.submissions.filter((candidate) => candidate !== submission);
      const msg = outcome === "failed" ? "the payment was declined" : undefined;
      this.#move(order, dueMilliseconds, { status: outcome, transactionId, msg });
    });
  }

  #repeated(earlier: Order, order: Order): Order {
    const same = earlier.fingerprint === order.fingerprint;
    if (same && this.#use.repeatedOrderNo === "same") return earlier;
    throw new Refusal(refusalCodes.orderNoTaken, "orderNo was used before");
  }

  #expireAt(order: Order, dueMilliseconds: number): void {
    if (order.status !== "pending") return;
    this.#move(order, dueMilliseconds, {
      status: "timeout",
      msg: "the order was not paid in time",
    });
  }

  #move(
    order: Order,
    dueMilliseconds: number,
    to: {
      status: Exclude<PaymentStatus, "pending">;
      transactionId?: string;
      msg?: string | undefined;
    },
  ): void {
    const completeTimeMilliseconds =
      to.status === "confirming" ? undefined : this.#use.clock.wireMilliseconds();
    const { status, transactionId, msg } = to;
    const fact = { status, transactionId, msg, completeTimeMilliseconds };
    Object.assign(order, fact);
    const eventName: EventName = `payment.order.${status}`;
    this.#use.callbacks.send(order, eventName, paymentResult(order, fact), dueMilliseconds);
  }
}

/** A merchant id contains no space, so this key is unique. */
function numberKey({ merchant, orderNo }: Order): string {
  return `${merchant.merchantId} ${orderNo}`;
}

function newOrder(
  merchant: Merchant,
  body: CreateBody,
  clock: Clock,
): Omit<Order, "isNumberShort" | "paymentId"> {
  const amount = readMoney(body.paymentAmount, body.currency);
  if (amount === undefined) throw new Error("an amount that was checked before");
  const createdMilliseconds = clock.wireMilliseconds();
  return {
    merchant,
    orderNo: body.order.orderNo,
    channel: body.channel,
    description: body.order.orderDescription,
    goods: body.order.goods.map((item) => ({
      name: item.goodsName,
      quantity: item.goodsQuantity,
      unitAmount: readMoney(amountOf(item) ?? "", body.currency),
    })),
    amount,
    createdMilliseconds,
    paymentTimeMilliseconds: body.paymentTime,
    paymentExpiryTimeMilliseconds: body.paymentExpiryTime,
    // The merchant's times come from its own clock. The time until expiry then passes on the simulator's clock.
    expiresMilliseconds: clock.nowMilliseconds() + (body.paymentExpiryTime - createdMilliseconds),
    callbackUrl: body.callbackUrl,
    redirectUrl: body.redirectUrl,
    fingerprint: fingerprint(body),
    status: "pending",
    transactionId: undefined,
    completeTimeMilliseconds: undefined,
    msg: undefined,
    submissions: [],
    refunds: [],
    callbacks: [],
  };
}

function newPaymentId(): string {
  return randomBytes(16).toString("hex");
}

/** Too long for a double. */
function newNumber(): string {
  return `9${randomBytes(8).readBigUInt64BE().toString().padStart(20, "0")}`;
}

/** Without the timestamps, because a client that repeats a create may send new ones. */
function fingerprint(body: CreateBody): string {
  const { paymentTime: _time, paymentExpiryTime: _expiry, ...content } = body;
  return createHash("sha256").update(JSON.stringify(content)).digest("hex");
}
