import { isPaid } from "../facts/event-types.ts";
import {
  freshCreationMilliseconds,
  queryAnsweredMilliseconds,
  queryClaimMilliseconds,
} from "../timing.ts";
import type { Order } from "./order.ts";
import type { Question, QuestionKind } from "./question-state.ts";

/** What can happen to the question about an order. state-words.ts explains each move. */
export const questionMoves = ["asked", "answered", "news", "recorded"] as const;
export type QuestionMove = (typeof questionMoves)[number];

type Row = Readonly<Record<QuestionMove, QuestionKind>>;

/** A caller whose claim is over may still respond, so every state can be answered. */
const rows: Readonly<Record<QuestionKind, Row>> = {
  none: { asked: "asking", answered: "answered", news: "awaiting", recorded: "none" },
  asking: { asked: "asking", answered: "answered", news: "awaiting", recorded: "asking" },
  awaiting: { asked: "asking", answered: "answered", news: "awaiting", recorded: "answered" },
  answered: { asked: "asking", answered: "answered", news: "awaiting", recorded: "answered" },
};

export function questionAfter(question: QuestionKind, move: QuestionMove): QuestionKind {
  return rows[question][move];
}

/**
 * Whether the stored status is current: it is final, its end is confirmed, the service refused the order, or the service
 * confirmed the status a moment ago.
 */
export function isFresh(order: Order, nowMilliseconds: number): boolean {
  const { status, state } = order;
  if (isPaid(status) || state.kind === "confirmed" || state.kind === "refused") return true;
  return hasRecentAnswer(order, nowMilliseconds);
}

/** Whether the service confirmed the stored status a moment ago, so that another query would find nothing new. */
export function hasRecentAnswer({ question }: Order, nowMilliseconds: number): boolean {
  return isUnderWay(question, nowMilliseconds) && isConfirmation(question);
}

/**
 * Whether the service created the payment seconds ago, so that the consumer can hardly have paid it, and has said
 * nothing else since.
 */
export function isJustCreated(
  { state, status, attempts, question }: Order,
  nowMilliseconds: number,
): boolean {
  const { state: end, startedAtMilliseconds = 0 } = attempts.at(-1) ?? {};
  const isNew = nowMilliseconds - startedAtMilliseconds < freshCreationMilliseconds;
  const isStored = end === "created" && state.kind === "open" && status === "pending";
  return isNew && isStored && !isContradiction(question);
}

/** Whether the service's latest response is not the stored status. */
function isContradiction(question: Question): boolean {
  return (
    question.kind === "awaiting" || (question.kind === "answered" && !isConfirmation(question))
  );
}

function isConfirmation(question: Question): boolean {
  return question.kind === "answered" && question.isConfirmation;
}

function isUnderWay(question: Question, nowMilliseconds: number): boolean {
  return question.kind !== "none" && question.untilMilliseconds > nowMilliseconds;
}

/** The order with this caller's claim to query the service. Undefined while another caller holds the claim. */
export function claimQuery(
  order: Order,
  nowMilliseconds: number,
  random: number,
): Order | undefined {
  if (isUnderWay(order.question, nowMilliseconds)) return undefined;
  return renewClaim(order, nowMilliseconds, random);
}

/**
 * The same for a check, which queries every payment of the order. A recent response about one payment does not postpone
 * it; otherwise a page that keeps polling would prevent the check.
 */
export function claimCheck(
  order: Order,
  nowMilliseconds: number,
  random: number,
): Order | undefined {
  const isAnswered = order.question.kind === "answered";
  return (isAnswered ? renewClaim : claimQuery)(order, nowMilliseconds, random);
}

/** Extends the claim of the caller that holds it, for its next query. */
export function renewClaim(order: Order, nowMilliseconds: number, random: number): Order {
  const untilMilliseconds = nowMilliseconds + queryClaimMilliseconds;
  const by = Math.floor(random * 2 ** 32);
  return { ...order, question: { kind: "asking", untilMilliseconds, by } };
}

/** Whether the order still holds the claim that `claimed` took. */
export function holdsClaim({ question }: Order, { question: claim }: Order): boolean {
  return question.kind === "asking" && claim.kind === "asking" && question.by === claim.by;
}

/**
 * The order after a response. The next query is allowed sooner than after a query without a response. `isConfirmed` is
 * false if the service responded but did not confirm the stored status.
 */
export function noteAnswer(order: Order, isConfirmed: boolean, nowMilliseconds: number): Order {
  const untilMilliseconds = nowMilliseconds + queryAnsweredMilliseconds;
  const question = { kind: "answered", untilMilliseconds, isConfirmation: isConfirmed } as const;
  return { ...order, question, failedChecks: undefined };
}

/** The same if the response is still in the inbox: the stored status is stale until the order has this fact. */
export function noteNews(order: Order, factId: string, nowMilliseconds: number): Order {
  if (order.facts[factId] !== undefined) return noteAnswer(order, true, nowMilliseconds);
  const untilMilliseconds = nowMilliseconds + queryAnsweredMilliseconds;
  const question = { kind: "awaiting", untilMilliseconds, factId } as const;
  return { ...order, question, failedChecks: undefined };
}

/** The order after a fact was recorded. The identical object unless a caller awaits this fact. */
export function noteRecorded(order: Order, factId: string): Order {
  const { question } = order;
  if (question.kind !== "awaiting" || question.factId !== factId) return order;
  const { untilMilliseconds } = question;
  return { ...order, question: { kind: "answered", untilMilliseconds, isConfirmation: true } };
}
