import type { Received } from "../consumers.ts";
import type { Disturbance } from "../disturbance.ts";
import type { Post } from "../relay.ts";
import type { Asked } from "../service-line.ts";
import type { Ending } from "../settle.ts";
import type { ApiCall, MadeOrder } from "../shopper.ts";
import { type Fact, textOf } from "./facts.ts";
import {
  type CallbackKeys,
  type JsonObject,
  type Opened,
  parseObject,
  type Rotation,
} from "./open-envelope.ts";

/** Everything that was seen from outside. */
export interface Evidence {
  readonly orders: readonly MadeOrder[];
  readonly ledger: readonly LedgerOrder[];
  readonly posts: readonly Post[];
  /** The stack's queries to the service, and the responses. */
  readonly asked: readonly Asked[];
  readonly calls: readonly ApiCall[];
  readonly received: readonly Received[];
  readonly disturbances: readonly Disturbance[];
  /** The disturbances in which the clock jumped. */
  readonly passed: readonly Disturbance[];
  /** The oldest first. */
  readonly rotations: readonly Rotation[];
  /** Times in which the machine was busy: calls could fail although nothing was broken. */
  readonly busy: readonly Disturbance[];
  readonly ending: Ending;
  readonly subscribers: readonly Subscriber[];
  /** Where the payment service shall send callbacks. */
  readonly callbackUrl: string;
  readonly keysOf: (merchantId: string) => readonly CallbackKeys[];
}

/** An order in the payment service's records. */
export interface LedgerOrder {
  readonly orderNo: string;
  readonly merchantId: string;
  readonly paymentId: string;
  readonly status: string;
  readonly amount: string;
  readonly currency: string;
  readonly checkoutUrl: string;
  readonly callbacks: readonly { readonly id: string; readonly eventName: string }[];
}

interface Subscriber {
  readonly name: string;
  readonly types: readonly string[];
  /** Absent: all merchants. */
  readonly merchants?: readonly string[] | undefined;
  readonly ordered: boolean;
}

/** Whether a subscriber wants the events of a fact. */
export function wants({ types, merchants }: Subscriber, { type, merchantId }: Fact): boolean {
  const ofItsKind = type.replace(/[^.]+$/, "*");
  const isWanted = types.some((pattern) => ["*", type, ofItsKind].includes(pattern));
  return isWanted && (merchants === undefined || merchants.includes(merchantId));
}

/** What one authentic envelope states. `fact` is undefined if it is not readable. */
export interface Statement {
  readonly post: Post;
  readonly opened: Opened;
  readonly fact: Fact | undefined;
}

/** What one response of the service states about a payment. */
export interface ServiceAnswer {
  readonly asked: Asked;
  readonly fact: Fact;
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
  /** All of it. */
  readonly body: JsonObject;
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
      refundNo: text("refundNo"),
      transactionId: text("transactionId"),
      amount: decimalOf(data["amount"]),
      currency: (data["amount"] as JsonObject | undefined)?.["currency"] as string | undefined,
      reason: text("reason"),
      createdAt: text("createdAt"),
      completedAt: text("completedAt"),
    },
    body: event,
  };
}

export function decimalOf(amount: unknown): string | undefined {
  return (amount as { readonly value?: string } | undefined)?.value;
}

/** The order of a fact: a refund names only its payment. */
export function orderOf({ ledger }: Evidence, fact: Fact | undefined): string | undefined {
  const inBooks = ledger.find(({ paymentId }) => paymentId === fact?.paymentId);
  return fact?.orderNo ?? inBooks?.orderNo;
}

/** What the team received that wants every type. */
export function ofTeamWithAll({ subscribers }: Evidence, events: readonly Event[]): Event[] {
  const team = subscribers.find(({ types }) => types.includes("*"))?.name;
  return events.filter(({ received }) => received.subscriber === team);
}

/** Whether something was broken during a call, or up to `echoMilliseconds` before it. */
export function isDuring(
  { fromMilliseconds, untilMilliseconds }: Omit<Disturbance, "what">,
  call: { readonly atMilliseconds: number; readonly endedMilliseconds: number },
  echoMilliseconds = 0,
): boolean {
  const goneMilliseconds = untilMilliseconds + echoMilliseconds;
  return fromMilliseconds <= call.endedMilliseconds && goneMilliseconds >= call.atMilliseconds;
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
