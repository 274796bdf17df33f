import type { Received } from "../consumers.ts";
import type { Disturbance } from "../disturber.ts";
import type { Post } from "../relay.ts";
import type { Ending } from "../settle.ts";
import type { ApiCall, MadeOrder } from "../shopper.ts";
import { type CallbackKeys, type JsonObject, type Opened, parseObject } from "./open-envelope.ts";

/** Everything that was seen from outside. */
export interface Evidence {
  readonly orders: readonly MadeOrder[];
  readonly ledger: readonly LedgerOrder[];
  readonly posts: readonly Post[];
  readonly calls: readonly ApiCall[];
  readonly received: readonly Received[];
  readonly disturbances: readonly Disturbance[];
  /** Times in which the machine itself was late: nothing was broken, and calls could still fail. */
  readonly busy: readonly Disturbance[];
  readonly ending: Ending;
  readonly subscribers: readonly Subscriber[];
  readonly keysOf: (merchantId: string) => readonly CallbackKeys[];
}

/** An order in the payment service's own books. */
interface LedgerOrder {
  readonly orderNo: string;
  readonly merchantId: string;
  readonly paymentId: string;
  readonly status: string;
  readonly amount: string;
  readonly callbacks: readonly { readonly id: string; readonly eventName: string }[];
}

interface Subscriber {
  readonly name: string;
  readonly types: readonly string[];
  readonly ordered: boolean;
}

/** What one authentic envelope states. `fact` is undefined if nobody can read it. */
export interface Statement {
  readonly post: Post;
  readonly opened: Opened;
  readonly fact: Fact | undefined;
}

/** A payment's fact has an order number, a refund's a refund id. */
export interface Fact {
  readonly type: string;
  readonly merchantId: string;
  readonly orderNo: string | undefined;
  readonly paymentId: string | undefined;
  readonly refundId: string | undefined;
  readonly status: string;
  readonly transactionId: string | undefined;
  /** A decimal, as it was sent. */
  readonly amount: string | undefined;
}

/** Callback ids are written with and without dashes, in small and in capital letters. */
export function plainId(id = ""): string {
  return id.replaceAll("-", "").toLowerCase();
}

/** An event as a team received it for the first time. */
export interface Event {
  readonly received: Received;
  readonly id: string;
  readonly partition: string;
  readonly sequence: number;
  readonly origin: string;
  readonly callbackId: string | undefined;
  readonly fact: Fact;
}

/** What a callback states. Undefined if nobody can read it. */
export function readFact({ eventName, merchantId, result = {} }: Opened): Fact | undefined {
  const [, kind = "", end = ""] = eventName.split(".");
  const isRefund = kind === "refund";
  const text = (...names: readonly string[]) => textOf(result, ...names);
  const fact = {
    type: eventName,
    merchantId,
    status: isRefund ? `refund_${end}` : end,
    orderNo: isRefund ? undefined : text("referOrderNo", "outOrderNo"),
    paymentId: isRefund ? text("paymentId") : undefined,
    refundId: isRefund ? text("refundId") : undefined,
    transactionId: text("transactionId"),
    amount: text(isRefund ? "refundAmount" : "paymentAmount"),
  };
  const isKnown = (isRefund ? refundRanks : ranks).slice(1).includes(fact.status);
  const isNamed = isRefund ? fact.paymentId && fact.refundId : fact.orderNo;
  const isWhole = fact.status !== "success" || fact.amount !== undefined;
  const isSound = result["merchantId"] === merchantId && result["status"] === fact.status;
  const isPayment = kind === "order" || isRefund;
  return isPayment && isKnown && isNamed && isWhole && isSound ? fact : undefined;
}

/** The statuses of a payment and of a refund, from the lowest to the highest. Callbacks tell all but the first. */
export const ranks = ["pending", "confirming", "timeout", "failed", "success"];
export const refundRanks = ["refunding", "refund_failed", "refund_success"];

export function highest(order: readonly string[], found: readonly string[]): string | undefined {
  return order.findLast((status) => found.includes(status));
}

function textOf(result: JsonObject, ...names: readonly string[]): string | undefined {
  const value = names
    .map((name) => result[name])
    .find((candidate) => candidate !== undefined && candidate !== "");
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** The acknowledgement of the interface (§4.4), and nothing else. */
export function isAcknowledged({ status, answer }: Post): boolean {
  return status === 200 && answer === '{"code":20000,"msg":""}';
}

/** Each message once, in the order in which it was received for the first time. */
export function eventsOf(received: readonly Received[]): Event[] {
  const first = groupBy(received, ({ subscriber, messageId }) => `${subscriber}/${messageId}`);
  return [...first.values()].flatMap(([message]) =>
    message === undefined ? [] : [readEvent(message)],
  );
}

function readEvent(received: Received): Event {
  const event = parseObject(received.body) ?? {};
  const data = { ...(event["data"] as JsonObject) };
  const text = (name: string) => textOf(data, name);
  return {
    received,
    id: String(event["id"]),
    partition: String(event["partitionkey"]),
    sequence: Number(event["sequence"]),
    origin: String(event["origin"]),
    callbackId: text("callbackId"),
    fact: {
      type: String(event["type"]),
      merchantId: String(data["merchantId"]),
      status: String(data["status"]),
      orderNo: text("orderNo"),
      paymentId: text("paymentId"),
      refundId: text("refundId"),
      transactionId: text("transactionId"),
      amount: decimalOf(data["amount"]),
    },
  };
}

export function decimalOf(amount: unknown): string | undefined {
  return (amount as { readonly value?: string } | undefined)?.value;
}

/** Whether two statements are about the same fact. The service may tell a status with and without its transaction. */
export function isSameFact(left: Fact, right: Fact): boolean {
  if (nameOf(left) !== nameOf(right)) return false;
  const [leftId, other] = [left.transactionId, right.transactionId];
  const isRefund = left.refundId !== undefined;
  return isRefund || leftId === undefined || other === undefined || leftId === other;
}

export function nameOf({ merchantId, orderNo, paymentId, refundId, status }: Fact): string {
  const own = refundId === undefined ? orderNo : `${paymentId}/${refundId}`;
  return [merchantId, own, status].join("/");
}

/** The order of a fact: a refund names only its payment. */
export function orderOf({ ledger }: Evidence, fact: Fact | undefined): string | undefined {
  const inBooks = ledger.find(({ paymentId }) => paymentId === fact?.paymentId);
  return fact?.orderNo ?? inBooks?.orderNo;
}

/** Whether something was broken during a call, or up to `echoMilliseconds` before it. */
export function isDuring(
  { fromMilliseconds, untilMilliseconds }: Disturbance,
  call: { readonly atMilliseconds: number; readonly endedMilliseconds: number },
  echoMilliseconds = 0,
): boolean {
  const goneMilliseconds = untilMilliseconds + echoMilliseconds;
  return fromMilliseconds <= call.endedMilliseconds && goneMilliseconds >= call.atMilliseconds;
}

/** An amount without floats, so that sums are exact. No currency has smaller units than thousandths. */
export function thousandths(decimal = "0"): bigint {
  const [whole = "", part = ""] = decimal.split(".");
  return BigInt(whole + part.padEnd(3, "0"));
}

export function groupBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups
      .set(key, groups.get(key) ?? [])
      .get(key)
      ?.push(item);
  }
  return groups;
}
