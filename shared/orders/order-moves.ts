import { unionOfFlags } from "../facts/flags.ts";
import {
  firstCheckMilliseconds,
  latestFirstCheckMilliseconds,
  settledMilliseconds,
} from "../timing.ts";
import type { Order } from "./order.ts";
import type { OrderState, Refusal, StateKind } from "./order-state.ts";

/** What can happen to an order's state. state-words.ts explains each move. */
export const moves = [
  "heard",
  "told",
  "ended",
  "paid",
  "begun",
  "refused",
  "unsent",
  "lost",
  "payment-open",
  "payment-incomplete",
  "payment-ended",
  "payment-paid",
  "doubted",
  "confirmed",
  "given-up",
] as const;
export type Move = (typeof moves)[number];

/** `same` leaves the state as it is. A move that is not listed cannot be. */
type Row = Readonly<Partial<Record<Move, StateKind | "same">>>;

/** An order that was created elsewhere, or of which nothing is stored, has no attempts. */
const withoutAttempts: Row = { heard: "same", paid: "paid" };

/** No payment is known here, and the service has not reported on the order. */
const withoutPayment: Row = {
  heard: "reported",
  told: "reported",
  ended: "reported",
  paid: "paid",
  refused: "refused",
  unsent: "unsent",
  lost: "outcome-unknown",
  "payment-open": "open",
  "payment-incomplete": "incomplete",
  "payment-ended": "ended",
  "payment-paid": "paid",
  doubted: "same",
};

/** Its payment is known. */
const withPayment: Row = {
  heard: "same",
  told: "same",
  ended: "ended",
  paid: "paid",
  "payment-ended": "ended",
  "payment-paid": "paid",
  doubted: "same",
};

/** The order follows the payment of its latest attempt, which may bring another kind than an earlier one. */
const withOpenPayment: Row = {
  ...withPayment,
  "payment-open": "open",
  "payment-incomplete": "incomplete",
  "given-up": "unresolved",
};

/** Every attempt ended without an order at the service. */
const free: Row = {
  heard: "reported",
  told: "reported",
  ended: "reported",
  paid: "paid",
  begun: "sending",
  refused: "same",
  unsent: "same",
};

const rows: Readonly<Record<StateKind, Row>> = {
  new: { heard: "heard", told: "foreign", ended: "foreign", paid: "paid", begun: "sending" },
  heard: { ...withoutAttempts, told: "foreign", ended: "foreign" },
  foreign: { ...withoutAttempts, told: "same", ended: "same" },
  // An attempt begins only when the time of the one before is over, and nobody knows what became of that one.
  sending: { ...withoutPayment, begun: "outcome-unknown" },
  unsent: free,
  refused: free,
  "outcome-unknown": { ...withoutPayment, begun: "same", lost: "same" },
  reported: {
    ...withoutPayment,
    heard: "same",
    told: "same",
    ended: "same",
    refused: "same",
    unsent: "same",
    lost: "same",
  },
  open: withOpenPayment,
  incomplete: withOpenPayment,
  ended: { ...withPayment, confirmed: "confirmed", "given-up": "unresolved" },
  // An operator may ask for another check. Without a response the end stays confirmed.
  confirmed: { ...withPayment, doubted: "ended", confirmed: "same", "given-up": "same" },
  unresolved: {
    ...withPayment,
    "payment-open": "same",
    "payment-incomplete": "same",
    "payment-ended": "same",
    confirmed: "confirmed",
    "given-up": "same",
  },
  paid: {
    heard: "same",
    told: "same",
    ended: "same",
    paid: "same",
    refused: "same",
    unsent: "same",
    lost: "same",
    "payment-paid": "same",
    doubted: "same",
  },
};

/** The state after a move, `same` if nothing changes. Undefined for a move that cannot be. */
export function stateAfter(state: StateKind, move: Move): StateKind | "same" | undefined {
  return rows[state][move];
}

/**
 * The order after a move. The identical object if nothing changes. Throws for a move that cannot be: our own code is
 * wrong, and the order stays as it is stored.
 */
export function moveState(order: Order, move: Exclude<Move, "refused">): Order {
  const kind = possibleState(order, move);
  return kind === "same" ? order : enter(order, stateOf(kind, order));
}

/** The same after the service refused the order. */
export function refuseOrder(order: Order, refusal: Refusal): Order {
  const kind = possibleState(order, "refused");
  return kind === "refused" ? enter(order, { kind, ...refusal }) : order;
}

function possibleState({ state }: Order, move: Move): StateKind | "same" {
  const after = stateAfter(state.kind, move);
  if (after === undefined) throw new Error(`An order that is ${state.kind} cannot be ${move}.`);
  return after;
}

/** The flag `unresolved` comes and goes with the state. What an unreadable response leaves open ends with the order. */
function enter(order: Order, state: OrderState): Order {
  const hasEnd = state.kind === "ended" || state.kind === "confirmed" || state.kind === "paid";
  const others = order.flags.filter((flag) => flag !== "unresolved");
  const flags = state.kind === "unresolved" ? unionOfFlags(others, ["unresolved"]) : others;
  return {
    ...order,
    flags,
    state,
    hasUnreadableAnswer: hasEnd ? undefined : order.hasUnreadableAnswer,
    earlyAtMilliseconds: state.kind === "open" ? order.earlyAtMilliseconds : undefined,
    failedChecks: undefined,
  };
}

function stateOf(kind: StateKind, order: Order): OrderState {
  switch (kind) {
    case "open":
    case "incomplete":
      return { kind, waitingSinceMilliseconds: expectedEndOf(order) };
    case "ended": {
      const waitingSinceMilliseconds = learnedAt(order);
      const confirmAtMilliseconds = waitingSinceMilliseconds + settledMilliseconds;
      return { kind, waitingSinceMilliseconds, confirmAtMilliseconds };
    }
    case "confirmed":
    case "unresolved":
      return { kind, waitingSinceMilliseconds: waitingSince(order) };
    case "refused":
      throw new Error("A refusal is needed.");
    default:
      return { kind };
  }
}

/** When an order should have ended, or when its end became known. An order that is not watched waits for nothing. */
export function waitingSince({ state }: Order): number {
  if ("waitingSinceMilliseconds" in state) return state.waitingSinceMilliseconds;
  throw new Error(`An order that is ${state.kind} waits for nothing.`);
}

function learnedAt({ payment }: Order): number {
  return payment.learnedAt === undefined ? 0 : Date.parse(payment.learnedAt);
}

/**
 * When an open order should have ended. The caller may send a payment time of any year (§2.3), so an expiry before the
 * creation counts as the creation time, and a late one is limited so that the first check happens within a day.
 * Otherwise the first check could be the last one, or never happen.
 */
function expectedEndOf({ creation, attempts }: Order): number {
  const madeAt = attempts.at(-1)?.startedAtMilliseconds ?? 0;
  const latest = madeAt + latestFirstCheckMilliseconds - firstCheckMilliseconds;
  return Math.min(Math.max(creation?.expiresAtMilliseconds ?? 0, madeAt), latest);
}
