import { raisedFlags, unionOfFlags } from "../facts/flags.ts";
import { dueAfterCreation } from "./due.ts";
import { moveOrder } from "./move-status.ts";
import type { Attempt, Order } from "./order.ts";
import { currentAttempt, hasAlternatives } from "./standing.ts";

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
 * The order with the end of one attempt. Every returned payment is kept. If another caller has begun a later attempt,
 * that attempt keeps its lease.
 */
export function endCreation(order: Order, attemptId: string, end: AttemptEnd): Order {
  return dueAfterCreation(followCurrent(withEnd(order, attemptId, end)));
}

/** After a refusal the order may follow an earlier attempt. Then the facts apply that are stored for it. */
function followCurrent(order: Order): Order {
  const { attempts, untraced } = order;
  const current = currentAttempt(order);
  const ofAttempts = current === undefined ? attempts.map(({ told }) => told) : [current.told];
  const facts = hasAlternatives(order) ? ofAttempts : [...ofAttempts, untraced];
  return facts.reduce<Order>(
    (moved, told) => (told === undefined ? moved : moveOrder(moved, told.status, told.payment)),
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
