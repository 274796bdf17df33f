import type { Amount } from "../money/amount.ts";
import { creationLeaseMilliseconds, refusalMemoryMilliseconds } from "../timing.ts";
import { type Attempt, type Creation, isTold, type Order } from "./order.ts";

/** An order that somebody wants created. */
export interface CreationRequest {
  readonly amount: Amount;
  readonly channel: string;
  /** Of what the caller sent: a repeat has the same, another order under the number has not. */
  readonly contentHash: string;
  readonly paymentTimeMilliseconds: number;
  readonly expiresAtMilliseconds: number;
}

/** The order with a new attempt, which the caller now sends; or why nothing may be sent. */
export type Beginning =
  | { readonly kind: "begun"; readonly order: Order; readonly attemptId: string }
  | { readonly kind: "created" | "differs" | "told" | "exhausted" }
  | { readonly kind: "in-progress"; readonly leftMilliseconds: number }
  | { readonly kind: "refused"; readonly refusal: { readonly code: string; readonly msg: string } };

/** Attempts are kept for the callbacks that may come of them, and an item has a limit. */
const mostUnansweredAttempts = 50;
const mostRefusedAttempts = 50;

/**
 * Decides whether the order is sent to the service. An order of which the service has told is never sent again:
 * it could be paid twice. One that the service refused leaves its number free. One whose answer was lost may be
 * sent again with the same content, once nobody can be talking to the service about it.
 */
export function beginCreation(
  order: Order,
  request: CreationRequest,
  attemptId: string,
  nowMilliseconds: number,
): Beginning {
  const standing = whatStands(order, request, nowMilliseconds);
  return standing ?? begin(order, request, attemptId, nowMilliseconds);
}

/** The check for a repeat of an order that could no longer be begun, its times being over: nothing is written. */
export function whatStands(
  order: Order,
  { contentHash }: Pick<CreationRequest, "contentHash">,
  nowMilliseconds: number,
): Exclude<Beginning, { kind: "begun" }> | undefined {
  const { creation, attempts } = order;
  if (creation === undefined) return isTold(order) ? { kind: "told" } : undefined;
  const isSame = creation.contentHash === contentHash;
  if (attempts.every(({ state }) => state === "refused")) {
    if (isTold(order)) return { kind: "told" };
    return isSame ? recentRefusal(creation, nowMilliseconds) : undefined;
  }
  if (!isSame) return { kind: "differs" };
  if (creation.paymentId !== undefined) return { kind: "created" };
  const leftMilliseconds = creation.leaseEndsAtMilliseconds - nowMilliseconds;
  if (leftMilliseconds > 0) return { kind: "in-progress", leftMilliseconds };
  if (isTold(order)) return { kind: "told" };
  return unanswered(order).length < mostUnansweredAttempts ? undefined : { kind: "exhausted" };
}

/** A caller that sends the same refused order in a loop gets the same answer, and the service no call. */
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
  const { amount, channel, contentHash, expiresAtMilliseconds, paymentTimeMilliseconds } = request;
  const attempt: Attempt = {
    attemptId,
    state: "sending",
    startedAtMilliseconds: nowMilliseconds,
    paymentTimeMilliseconds,
  };
  const leaseEndsAtMilliseconds = nowMilliseconds + creationLeaseMilliseconds;
  const creation = { contentHash, channel, expiresAtMilliseconds, leaseEndsAtMilliseconds };
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
