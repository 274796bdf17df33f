import type { Received } from "../consumers.ts";
import type { Disturbance } from "../disturber.ts";
import type { Post } from "../relay.ts";
import type { Ending } from "../settle.ts";
import type { ApiCall, MadeOrder } from "../shopper.ts";
import { type CallbackKeys, type Opened, openEnvelope, parseObject } from "./open-envelope.ts";

/** An order in the payment service's own books. */
interface LedgerOrder {
  readonly orderNo: string;
  readonly merchantId: string;
  readonly paymentId: string;
  readonly status: string;
  readonly amount: string;
  readonly callbacks: readonly { readonly id: string; readonly eventName: string }[];
}

/** Everything that was seen from outside. */
export interface Evidence {
  readonly orders: readonly MadeOrder[];
  readonly ledger: readonly LedgerOrder[];
  readonly posts: readonly Post[];
  readonly calls: readonly ApiCall[];
  readonly received: readonly Received[];
  readonly disturbances: readonly Disturbance[];
  readonly ending: Ending;
  readonly subscribers: readonly Subscriber[];
  readonly keysOf: (merchantId: string) => readonly CallbackKeys[];
}

export interface Subscriber {
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
  readonly orderNo?: string;
  readonly paymentId?: string;
  readonly refundId?: string;
  readonly status: string;
  readonly transactionId: string | undefined;
  /** A decimal, as it was sent. */
  readonly amount: string | undefined;
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

export interface Violation {
  readonly message: string;
  /** Whose history explains it. */
  readonly orderNo: string | undefined;
}

/** What a rule looked at, and where it does not hold. */
export interface RuleResult {
  readonly rule: string;
  readonly checked: number;
  readonly violations: readonly Violation[];
  /** Exceptions that have a known cause. */
  readonly attributed?: readonly string[];
}

const paymentTypes = ["confirming", "timeout", "failed", "success"];
const refundTypes = ["success", "failed"];

/** The authentic envelopes among everything that reached the stack. */
export function statementsOf({ posts, keysOf }: Evidence): Statement[] {
  return posts.flatMap((post) => {
    const opened = openEnvelope(post.envelope, keysOf, post.atMilliseconds);
    return opened === undefined ? [] : [{ post, opened, fact: readFact(opened) }];
  });
}

function readFact({ eventName, merchantId, result }: Opened): Fact | undefined {
  if (result === undefined || result["merchantId"] !== merchantId) return undefined;
  const [, kind = "", end = ""] = eventName.split(".");
  if (kind === "order" && paymentTypes.includes(end)) return readPayment(eventName, end, result);
  if (kind === "refund" && refundTypes.includes(end)) return readRefund(eventName, end, result);
  return undefined;
}

function readPayment(type: string, status: string, result: Record<string, unknown>) {
  const orderNo = textOf(result, "referOrderNo", "outOrderNo");
  const amount = textOf(result, "paymentAmount");
  if (orderNo === undefined || result["status"] !== status) return undefined;
  if (status === "success" && amount === undefined) return undefined;
  const transactionId = textOf(result, "transactionId");
  return { type, merchantId: String(result["merchantId"]), orderNo, status, transactionId, amount };
}

function readRefund(type: string, end: string, result: Record<string, unknown>) {
  const [paymentId, refundId] = [textOf(result, "paymentId"), textOf(result, "refundId")];
  const status = `refund_${end}`;
  if (paymentId === undefined || refundId === undefined || result["status"] !== status) {
    return undefined;
  }
  const named = { type, merchantId: String(result["merchantId"]), paymentId, refundId, status };
  const transactionId = textOf(result, "transactionId");
  return { ...named, transactionId, amount: textOf(result, "refundAmount") };
}

function textOf(result: Record<string, unknown>, ...names: readonly string[]): string | undefined {
  const value = names.map((name) => result[name]).find((one) => one !== undefined && one !== "");
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** The acknowledgement of the interface (§4.4), and nothing else. */
export function isAcknowledged({ status, answer }: Post): boolean {
  return status === 200 && answer === '{"code":20000,"msg":""}';
}

/** Each message once, in the order in which it was received for the first time. */
export function eventsOf(received: readonly Received[]): Event[] {
  const seen = new Set<string>();
  return received.flatMap((one) => {
    const key = `${one.subscriber}/${one.messageId}`;
    if (seen.has(key)) return [];
    seen.add(key);
    return [readEvent(one)];
  });
}

function readEvent(received: Received): Event {
  const event = parseObject(received.body) ?? {};
  const data = { ...(event["data"] as Record<string, unknown>) };
  const text = (name: string) => textOf(data, name);
  const amount = data["amount"] as { readonly value?: string } | undefined;
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
      ...optional("orderNo", text("orderNo")),
      ...optional("paymentId", text("paymentId")),
      ...optional("refundId", text("refundId")),
      status: String(data["status"]),
      transactionId: text("transactionId"),
      amount: amount?.value,
    },
  };
}

function optional<Name extends string>(name: Name, value: string | undefined) {
  return value === undefined ? {} : { [name]: value };
}

export function wants({ types }: Subscriber, type: string): boolean {
  return types.some((one) => one === "*" || one === type || one === type.replace(/[^.]+$/, "*"));
}

/** Whether two statements are about the same fact. The service may tell a status with and without its transaction. */
export function isSameFact(left: Fact, right: Fact): boolean {
  if (left.merchantId !== right.merchantId || left.status !== right.status) return false;
  if (left.refundId !== undefined || right.refundId !== undefined) {
    return left.refundId === right.refundId && left.paymentId === right.paymentId;
  }
  if (left.orderNo !== right.orderNo) return false;
  const [one, other] = [left.transactionId, right.transactionId];
  return one === undefined || other === undefined || one === other;
}

/** "12.3" and "12.30" are one amount. */
export function isSameAmount(left: string | undefined, right: string | undefined): boolean {
  return (
    left === right || (left !== undefined && right !== undefined && plain(left) === plain(right))
  );
}

function plain(decimal: string): string {
  return decimal.includes(".") ? decimal.replace(/0+$/, "").replace(/\.$/, "") : decimal;
}

/** The sum of decimals, exactly. */
export function sumOf(decimals: readonly string[]): string {
  const places = Math.max(0, ...decimals.map((one) => one.split(".")[1]?.length ?? 0));
  const minor = decimals
    .map((one) =>
      BigInt(one.replace(".", "") + "0".repeat(places - (one.split(".")[1]?.length ?? 0))),
    )
    .reduce((sum, one) => sum + one, 0n);
  const digits = minor.toString().padStart(places + 1, "0");
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
