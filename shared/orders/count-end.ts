import { stageOf } from "../facts/event-types.ts";
import type { PaymentFact } from "../facts/fact.ts";
import type { AppliedFact } from "./applied-fact.ts";
import type { Order } from "./order.ts";

/** What a receipt adds to the count of ends, and of callbacks that are missing. */
export interface EndCount {
  /** `learned`: the order ended. `told`: a callback tells an end for the first time that a query had found. */
  readonly kind: "learned" | "told";
  readonly origin: PaymentFact["origin"];
  /** When the end was learned, also if it is told later. */
  readonly learnedAtMilliseconds: number;
}

interface Counted {
  readonly applied: AppliedFact<Order>;
  readonly end: EndCount | undefined;
}

/**
 * Notes on the order that a query found its end, until a callback tells it too. The note has the time at which the end
 * was learned: a late callback corrects the count of that time.
 */
export function countEnd(before: Order, applied: AppliedFact<Order>, fact: PaymentFact): Counted {
  if (applied.kind === "known") return countTold(before, applied, fact);
  const { aggregate, factId } = applied;
  const hasEnded = aggregate.status !== before.status && stageOf(aggregate.status) !== "open";
  if (!hasEnded) return { applied, end: undefined };
  const { origin, learnedAtMilliseconds } = fact;
  const end = { kind: "learned", origin, learnedAtMilliseconds } as const;
  if (origin === "callback") return { applied, end };
  const untoldEnd = { factId, learnedAtMilliseconds };
  return { applied: { ...applied, aggregate: { ...aggregate, untoldEnd } }, end };
}

function countTold(before: Order, applied: AppliedFact<Order>, { origin }: PaymentFact): Counted {
  const { untoldEnd } = before;
  const toldId = applied.publishedId ?? applied.factId;
  if (origin === "query" || untoldEnd?.factId !== toldId) return { applied, end: undefined };
  const { untoldEnd: _told, ...aggregate } = applied.aggregate;
  const { learnedAtMilliseconds } = untoldEnd;
  return {
    applied: { ...applied, aggregate },
    end: { kind: "told", origin, learnedAtMilliseconds },
  };
}
