import { raisedFlags, unionOfFlags } from "../facts/flags.ts";
import type { Amount } from "../money/amount.ts";
import { creationLeaseMilliseconds, refusalMemoryMilliseconds } from "../timing.ts";
import { currentAttempt, hasAlternatives } from "./attempt-role.ts";
import { dueAfterCreation } from "./due.ts";
import { moveOrder } from "./move-status.ts";
import { type Attempt, type Creation, isKnownToService, type Order } from "./order.ts";

/** A request to create an order. */
export interface CreationRequest {
  readonly amount: Amount;
  readonly channel: string;
  readonly callbackUrl: string;
  /** Hash of the caller's request. A repeat has the same hash; another order with the same number has not. */
  readonly contentHash: string;
  readonly paymentTimeMilliseconds: number;
  readonly expiresAtMilliseconds: number;
}

/** The order with a new attempt that the caller then sends, or the reason why nothing may be sent. */
export type Beginning =
  | { readonly kind: "begun"; readonly order: Order; readonly attemptId: string }
  | { readonly kind: "created" | "differs" | "known-to-service" | "exhausted" }
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
  { contentHash }: Pick<CreationRequest, "contentHash">,
  nowMilliseconds: number,
): Exclude<Beginning, { kind: "begun" }> | undefined {
  const { creation, attempts } = order;
  if (creation === undefined)
    return isKnownToService(order) ? { kind: "known-to-service" } : undefined;
  const isSame = creation.contentHash === contentHash;
  if (attempts.every(({ state }) => state === "refused")) {
    if (isKnownToService(order)) return { kind: "known-to-service" };
    return isSame ? recentRefusal(creation, nowMilliseconds) : undefined;
  }
  if (!isSame) return { kind: "differs" };
  if (creation.paymentId !== undefined) return { kind: "created" };
  const remainingMilliseconds = creation.leaseEndsAtMilliseconds - nowMilliseconds;
  if (remainingMilliseconds > 0) return { kind: "in-progress", remainingMilliseconds };
  if (isKnownToService(order)) return { kind: "known-to-service" };
  return unanswered(order).length < mostUnansweredAttempts ? undefined : { kind: "exhausted" };
}

/** A caller that repeats a refused order in a loop gets the same response without a call to the service. */
function recentRefusal({ refusal }: Creation, nowMilliseconds: number) {
  if (refusal === undefined) return undefined;
  const isRecent = nowMilliseconds - refusal.atMilliseconds < refusalMemoryMilliseconds;
  return isRecent ? ({ kind: "refused", refusal } as const) : undefined;
}

function begin(
  order: Order,
  request: CreationRequest,
  attemptId: string,
  nowMilliseconds: number,
): Beginning {
  const { amount, channel, callbackUrl, contentHash } = request;
  const attempt: Attempt = {
    attemptId,
    state: "sending",
    startedAtMilliseconds: nowMilliseconds,
    paymentTimeMilliseconds: request.paymentTimeMilliseconds,
  };
  const creation = {
    contentHash,
    channel,
    callbackUrl,
    expiresAtMilliseconds: request.expiresAtMilliseconds,
    leaseEndsAtMilliseconds: nowMilliseconds + creationLeaseMilliseconds,
  };
  const attempts = [...keptAttempts(order), attempt];
  return { kind: "begun", attemptId, order: { ...order, expected: amount, creation, attempts } };
}

function keptAttempts({ attempts }: Order): Attempt[] {
  const refused = attempts.filter(({ state }) => state === "refused").slice(-mostRefusedAttempts);
  return attempts.filter((attempt) => attempt.state !== "refused" || refused.includes(attempt));
}

function unanswered({ attempts }: Order): Attempt[] {
  return attempts.filter(({ state }) => state !== "refused");
}

/** How an attempt ended: with a payment, with a refusal, or with an unknown outcome. */
export type AttemptEnd =
  | {
      readonly state: "created";
      readonly paymentId: string;
      readonly checkoutUrl: string;
      readonly isNumberShortened?: boolean;
    }
  | {
      readonly state: "refused";
      readonly refusal?: {
        readonly code: string;
        readonly msg: string;
        readonly atMilliseconds: number;
      };
    }
  | { readonly state: "unknown" };

/**
 * The order after an attempt has ended. Every returned payment is kept. A later attempt of another caller keeps its
 * lease.
 */
export function endCreation(order: Order, attemptId: string, end: AttemptEnd): Order {
  return dueAfterCreation(followCurrent(withEnd(order, attemptId, end)));
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
  const isLatest = order.attempts.at(-1)?.attemptId === attemptId;
  const attempts = order.attempts.map((attempt) =>
    attempt.attemptId === attemptId ? ended(attempt, end) : attempt,
  );
  if (creation === undefined) return { ...order, attempts };
  const released = isLatest ? { ...creation, leaseEndsAtMilliseconds: 0 } : creation;
  switch (end.state) {
    case "unknown":
      return { ...order, attempts, creation: released };
    case "refused":
      return {
        ...order,
        attempts,
        creation: isLatest && end.refusal ? { ...released, refusal: end.refusal } : released,
      };
    case "created": {
      const { paymentId, checkoutUrl } = end;
      const paymentIds = [...new Set([...order.paymentIds, paymentId])];
      const isFirst = creation.paymentId === undefined;
      const stored = isLatest || isFirst ? { ...released, paymentId, checkoutUrl } : released;
      const raised = raisedFlags({ shortenedNumber: end.isNumberShortened === true });
      const flags = unionOfFlags(order.flags, raised);
      return { ...order, attempts, paymentIds, flags, creation: stored };
    }
  }
}

function ended(attempt: Attempt, end: AttemptEnd): Attempt {
  const { state } = end;
  return end.state === "created"
    ? { ...attempt, state, paymentId: end.paymentId }
    : { ...attempt, state };
}
