import type { Context } from "./context.ts";
import { contentsOf } from "./context.ts";
import type { Event } from "./evidence.ts";
import type { Fact } from "./facts.ts";

/** What an event may have come from: an authentic callback with its id, or an answer of the service. */
export interface Source {
  readonly fact: Fact;
  readonly origin: "callback" | "query";
  readonly callbackId: string | undefined;
  /** When Paycast learned it: from the request's beginning until every function that had it was over. */
  readonly learned: readonly [fromMilliseconds: number, untilMilliseconds: number];
  /** What the event says of its time, if the fact has no time of completion. */
  readonly sentMilliseconds: number | undefined;
  /** Whether other content came under the same callback id. */
  readonly isContradicted: boolean;
}

/** All that can be the source of an event. Empty if nothing authentic states it. */
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
