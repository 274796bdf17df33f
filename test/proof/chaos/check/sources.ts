import type { Context } from "./context.ts";
import { contentsOf } from "./context.ts";
import type { Event } from "./evidence.ts";
import type { Fact } from "./facts.ts";

/** A possible source of an event: an authentic callback with its id, or a response of the service. */
export interface Source {
  readonly fact: Fact;
  readonly origin: "callback" | "query";
  readonly callbackId: string | undefined;
  /** When Paycast learned it: from the start of the request until every function that had it has ended. */
  readonly learned: readonly [fromMilliseconds: number, untilMilliseconds: number];
  /** The time in the event, if the fact has no time of completion. */
  readonly sentMilliseconds: number | undefined;
  /** Whether different content arrived with the same callback id. */
  readonly isContradicted: boolean;
}

/** All possible sources of an event. Empty if nothing authentic states it. */
export function sourcesOf(event: Event, context: Context): Source[] {
  const { callbackId, origin, fact } = event;
  if (origin === "query") return answersBehind(event, context);
  if (origin !== "callback" || callbackId === undefined) return [];
  const statements = context.statementsOf(callbackId);
  const isContradicted = contentsOf(statements).size > 1;
  return statements.flatMap(({ fact: stated, opened, post }) =>
    stated === undefined || stated.type !== fact.type
      ? []
      : {
          fact: stated,
          origin: "callback" as const,
          callbackId: opened.id,
          learned: [post.atMilliseconds, context.overMilliseconds(post)] as const,
          sentMilliseconds: opened.sentMilliseconds,
          isContradicted,
        },
  );
}

function answersBehind({ fact, received }: Event, context: Context): Source[] {
  const serviceAnswers = context.answersAbout(fact.orderNo ?? "").filter((answer) => {
    const isEarlier = answer.asked.atMilliseconds <= received.atMilliseconds;
    return answer.fact.type === fact.type && isEarlier;
  });
  return serviceAnswers.map((answer) => ({
    fact: answer.fact,
    origin: "query",
    callbackId: undefined,
    learned: [answer.asked.atMilliseconds, context.overMilliseconds(answer.asked)] as const,
    sentMilliseconds: undefined,
    isContradicted: false,
  }));
}
