import type { MadeOrder } from "../shopper.ts";
import { type Context, contextOf } from "./context.ts";
import { differences } from "./differences.ts";
import { type Event, groupBy, ofTeamWithAll } from "./evidence.ts";
import { applyToOrder, newOrder, type OrderState } from "./expected-order.ts";
import { applyToPayment, newPayment, type PaymentState } from "./expected-refund.ts";
import type { Look, Seen } from "./rule.ts";
import { type Source, sourcesOf } from "./sources.ts";

/** The orders and payments that follow from the facts of all events, and where their events differ from them. */
export interface Replayed {
  readonly context: Context;
  /** By order number. */
  readonly orders: ReadonlyMap<string, OrderState>;
  /** By payment id. */
  readonly payments: ReadonlyMap<string, PaymentState>;
  readonly findings: readonly Look[];
}

type Apply<State> = (
  before: State,
  source: Source,
  event: Event,
  made: MadeOrder,
  context: Context,
) => { readonly after: State; readonly expected: object };

/** Applies the facts of each order and payment in the order of their sequence. */
export function replay(seen: Seen): Replayed {
  const context = contextOf(seen);
  const found = ofTeamWithAll(seen.evidence, seen.events);
  const unique = [...new Map(found.map((event) => [event.id, event])).values()];
  const events = unique.sort((left, right) => left.sequence - right.sequence);
  const [ofOrders, ofRefunds] = [false, true].map((isRefund) =>
    events.filter(({ fact }) => (fact.refundId !== undefined) === isRefund),
  );
  const findings: Look[] = [];
  const orders = fold(ofOrders ?? [], ({ fact }) => fact.orderNo ?? "", {
    first: () => newOrder,
    madeFor: context.orderOf,
    apply: applyToOrder,
    context,
    findings,
  });
  const payments = fold(ofRefunds ?? [], ({ fact }) => fact.paymentId ?? "", {
    first: newPayment,
    madeFor: context.orderOfPayment,
    apply: applyToPayment,
    context,
    findings,
  });
  return { context, orders, payments, findings };
}

interface Folding<State> {
  readonly first: (name: string) => State;
  readonly madeFor: (name: string) => MadeOrder | undefined;
  readonly apply: Apply<State>;
  readonly context: Context;
  readonly findings: Look[];
}

function fold<State>(
  events: readonly Event[],
  nameOf: (event: Event) => string,
  { first, madeFor, apply, context, findings }: Folding<State>,
): Map<string, State> {
  const states = new Map<string, State>();
  for (const [name, group] of groupBy(events, nameOf)) {
    const made = madeFor(name);
    let state = first(name);
    for (const event of group) {
      const { after, wrong } = made
        ? next(state, event, made, context, apply)
        : { after: state, wrong: [`it is about ${name}, which does not exist`] };
      state = after;
      const messages = wrong.map((fault) => `${event.fact.type} #${event.sequence}: ${fault}`);
      findings.push({ orderNo: made?.orderNo, wrong: messages });
    }
    states.set(name, state);
  }
  return states;
}

/**
 * Several sources are possible, and one of them must result in this exact event. Another rule checks events without a
 * source.
 */
function next<State>(
  before: State,
  event: Event,
  made: MadeOrder,
  context: Context,
  apply: Apply<State>,
) {
  const [first, ...more] = sourcesOf(event, context);
  const tried = [first ?? itself(event), ...more].map((source) => {
    const { after, expected } = apply(before, source, event, made, context);
    return { after, wrong: first === undefined ? [] : differences(expected, event.body) };
  });
  return tried.reduce((best, other) => (other.wrong.length < best.wrong.length ? other : best));
}

function itself({ fact, callbackId, origin }: Event): Source {
  const learned = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;
  const isQuery = origin === "query";
  return {
    fact,
    origin: isQuery ? "query" : "callback",
    callbackId,
    learned,
    sentMilliseconds: undefined,
    isContradicted: false,
  };
}
