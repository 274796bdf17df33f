import { stageOf } from "../facts/event-types.ts";
import { raisedFlags, unionOfFlags } from "../facts/flags.ts";
import type { Amount } from "../money/amount.ts";
import { creationLeaseMilliseconds, refusalMemoryMilliseconds } from "../timing.ts";
import { currentAttempt, hasAlternatives } from "./attempt-role.ts";
import { type ContentDigests, differingFields } from "./content-digests.ts";
import { dueAfterPayment } from "./due.ts";
import { moveOrder } from "./move-status.ts";
import type { Attempt, Order } from "./order.ts";
import { moveState, refuseOrder } from "./order-moves.ts";
import type { Refusal } from "./order-state.ts";

/** A request to create an order. */
export interface CreationRequest {
  readonly amount: Amount;
  readonly channel: string;
  readonly callbackUrl: string;
  /** Digests of what is sent to the service. A repeat has the same; another order with the same number has not. */
  readonly content: ContentDigests;
  readonly paymentTimeMilliseconds: number;
  readonly expiresAtMilliseconds: number;
}

/** The order with a new attempt that the caller then sends, or the reason why nothing may be sent. */
export type Beginning =
  | { readonly kind: "begun"; readonly order: Order; readonly attemptId: string }
  | { readonly kind: "created" | "known-to-service" | "exhausted" }
  | { readonly kind: "differs"; readonly fields: readonly string[] }
  | { readonly kind: "incomplete"; readonly paymentId: string | undefined }
  | { readonly kind: "in-progress"; readonly remainingMilliseconds: number }
  | { readonly kind: "refused"; readonly refusal: { readonly code: string; readonly msg: string } };

/**
 * Attempts are stored, because callbacks may still arrive for them. The limits keep the item within DynamoDB's size.
 */
const mostUnansweredAttempts = 50;
const mostRefusedAttempts = 50;

/**
 * Decides whether the order is sent to the service. An order that the service has reported on is never sent again: it
 * could be paid twice. If the service refused the order, its number is free again. If the response was lost, the same
 * content may be sent again: immediately if the end of the attempt was stored (`endCreation`), otherwise when its lease
 * ends.
 *
 * creation-store.ts makes sure that only one of several concurrent callers gets `begun`. refuse-unless-created.ts has
 * the responses for the others.
 */
export function beginCreation(
  order: Order,
  request: CreationRequest,
  attemptId: string,
  nowMilliseconds: number,
): Beginning {
  const beginning = reasonNotToSend(order, request, nowMilliseconds);
  return beginning ?? begin(order, request, attemptId, nowMilliseconds);
}

/** Undefined if the order may be sent. Also decides the response to a repeat whose times have passed. */
export function reasonNotToSend(
  order: Order,
  { content }: Pick<CreationRequest, "content">,
  nowMilliseconds: number,
): Exclude<Beginning, { kind: "begun" }> | undefined {
  const { state, creation } = order;
  const fields = differingFields(creation?.content ?? {}, content);
  const isSame = fields.length === 0;
  const differs = { kind: "differs", fields } as const;
  switch (state.kind) {
    case "new":
    case "unsent":
      return undefined;
    case "refused":
      return isSame ? recentRefusal(state, nowMilliseconds) : undefined;
    case "heard":
    case "foreign":
      return { kind: "known-to-service" };
    case "sending":
    case "outcome-unknown":
      return isSame ? (underWay(order, nowMilliseconds) ?? exhausted(order)) : differs;
    case "incomplete":
      return isSame ? { kind: "incomplete", paymentId: creation?.paymentId } : differs;
    case "open":
    case "ended":
    case "confirmed":
    case "unresolved":
      return isSame ? { kind: "created" } : differs;
    case "reported":
    case "paid":
      // The caller of a lost response learns how the order ended.
      if (isSame && stageOf(order.status) !== "open") return { kind: "created" };
      if (unanswered(order).length === 0) return { kind: "known-to-service" };
      if (!isSame) return differs;
      return underWay(order, nowMilliseconds) ?? { kind: "known-to-service" };
  }
}

/** A caller that repeats a refused order in a loop gets the same response without a call to the service. */
function recentRefusal({ code, msg, atMilliseconds }: Refusal, nowMilliseconds: number) {
  const isRecent = nowMilliseconds - atMilliseconds < refusalMemoryMilliseconds;
  return isRecent ? ({ kind: "refused", refusal: { code, msg } } as const) : undefined;
}

/** Another caller may still be waiting for the service. */
function underWay({ attempts }: Order, nowMilliseconds: number) {
  const remainingMilliseconds = (attempts.at(-1)?.untilMilliseconds ?? 0) - nowMilliseconds;
  return remainingMilliseconds > 0
    ? ({ kind: "in-progress", remainingMilliseconds } as const)
    : undefined;
}

function exhausted(order: Order) {
  const isOver = unanswered(order).length >= mostUnansweredAttempts;
  return isOver ? ({ kind: "exhausted" } as const) : undefined;
}

function begin(
  order: Order,
  request: CreationRequest,
  attemptId: string,
  nowMilliseconds: number,
): Beginning {
  const { amount, channel, callbackUrl, content } = request;
  const attempt: Attempt = {
    attemptId,
    state: "sending",
    startedAtMilliseconds: nowMilliseconds,
    untilMilliseconds: nowMilliseconds + creationLeaseMilliseconds,
    paymentTimeMilliseconds: request.paymentTimeMilliseconds,
  };
  const creation = {
    content,
    channel,
    callbackUrl,
    expiresAtMilliseconds: request.expiresAtMilliseconds,
  };
  const attempts = [...keptAttempts(order), attempt];
  const begun = { ...moveState(order, "begun"), expected: amount, creation, attempts };
  return { kind: "begun", attemptId, order: begun };
}

/** Only the latest refusal is kept. */
function keptAttempts({ attempts }: Order): Attempt[] {
  const refused = attempts.filter(({ state }) => state === "refused").slice(-mostRefusedAttempts);
  return attempts
    .filter((attempt) => attempt.state !== "refused" || refused.includes(attempt))
    .map(({ refusal: _refusal, ...attempt }) => attempt);
}

function unanswered({ attempts }: Order): Attempt[] {
  return attempts.filter(({ state }) => state !== "refused");
}

interface ReturnedPayment {
  readonly paymentId: string;
  readonly isNumberShortened?: boolean;
}

/** An attempt that brought a payment. `incomplete`: the response lacks what the consumer needs to pay. */
export type PaymentEnd =
  | (ReturnedPayment & { readonly state: "created"; readonly checkoutUrl: string })
  | (ReturnedPayment & { readonly state: "incomplete" });

/** How an attempt ended: with a payment, with a refusal, or with an unknown outcome. */
export type AttemptEnd =
  | PaymentEnd
  | {
      readonly state: "refused";
      readonly refusal?: Refusal;
    }
  | { readonly state: "unknown" };

/** The order after an attempt has ended. Every returned payment is kept. */
export function endCreation(order: Order, attemptId: string, end: AttemptEnd): Order {
  if (order.creation === undefined) return order;
  const ended = followCurrent(withEnd(order, attemptId, end));
  if (ended.paymentIds.length > 0) return dueAfterPayment(ended, broughtBy(end, order, attemptId));
  if (unanswered(ended).length > 0) return moveState(ended, "lost");
  const refusal = end.state === "refused" ? end.refusal : undefined;
  return refusal === undefined ? moveState(ended, "unsent") : refuseOrder(ended, refusal);
}

function bringsPayment(end: AttemptEnd): end is PaymentEnd {
  return end.state === "created" || end.state === "incomplete";
}

/** The consumer is sent to the payment of the latest attempt, or to the first payment until that one is known. */
function isPaymentFollowed({ attempts, creation }: Order, attemptId: string): boolean {
  return attempts.at(-1)?.attemptId === attemptId || creation?.paymentId === undefined;
}

/** How an open order moves. Undefined if it goes on following another payment. */
function broughtBy(end: AttemptEnd, before: Order, attemptId: string) {
  if (!bringsPayment(end) || !isPaymentFollowed(before, attemptId)) return undefined;
  return end.state === "created" ? "payment-open" : "payment-incomplete";
}

/** After a refusal the order may follow an earlier attempt. The facts stored for that attempt then apply. */
function followCurrent(order: Order): Order {
  const { attempts, untraced } = order;
  const current = currentAttempt(order);
  const ofAttempts =
    current === undefined ? attempts.map(({ reported }) => reported) : [current.reported];
  const facts = hasAlternatives(order) ? ofAttempts : [...ofAttempts, untraced];
  return facts.reduce<Order>(
    (moved, reported) =>
      reported === undefined ? moved : moveOrder(moved, reported.status, reported.payment),
    order,
  );
}

function withEnd(order: Order, attemptId: string, end: AttemptEnd): Order {
  const { creation } = order;
  const attempts = order.attempts.map((attempt) =>
    attempt.attemptId === attemptId ? ended(attempt, end) : attempt,
  );
  if (creation === undefined || !bringsPayment(end)) return { ...order, attempts };
  const { paymentId } = end;
  const paymentIds = [...new Set([...order.paymentIds, paymentId])];
  const checkoutUrl = end.state === "created" ? end.checkoutUrl : undefined;
  const isFollowed = isPaymentFollowed(order, attemptId);
  const stored = isFollowed ? { ...creation, paymentId, checkoutUrl } : creation;
  const raised = raisedFlags({ shortenedNumber: end.isNumberShortened === true });
  const flags = unionOfFlags(order.flags, raised);
  return { ...order, attempts, paymentIds, flags, creation: stored };
}

function ended({ untilMilliseconds: _until, ...attempt }: Attempt, end: AttemptEnd): Attempt {
  const { state } = end;
  if (bringsPayment(end)) return { ...attempt, state, paymentId: end.paymentId };
  return end.state === "refused"
    ? { ...attempt, state, refusal: end.refusal }
    : { ...attempt, state };
}
