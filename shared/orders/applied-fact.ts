import { type Flag, unionOfFlags } from "../facts/flags.ts";

/**
 * What a fact does to its aggregate. `news` is published, with the aggregate's new sequence. A `known` fact was
 * published before and is not published again, but it may add a detail to the aggregate.
 */
export interface AppliedFact<A> {
  readonly kind: "news" | "known";
  readonly factId: string;
  /** The id of the published event, if a `known` fact was published under another id. */
  readonly publishedId?: string;
  readonly aggregate: A;
  /** What is unusual about this fact. */
  readonly flags: readonly Flag[];
}

interface Counted {
  readonly sequence: number;
  readonly facts: Readonly<Record<string, number>>;
  readonly flags: string[];
}

export function asNews<A extends Counted>(
  factId: string,
  aggregate: A,
  flags: readonly Flag[],
): AppliedFact<A> {
  const sequence = aggregate.sequence + 1;
  const counted = { ...aggregate, sequence, facts: { ...aggregate.facts, [factId]: sequence } };
  return {
    kind: "news",
    factId,
    flags,
    aggregate: { ...counted, flags: unionOfFlags(aggregate.flags, flags) },
  };
}

/** Returns the identical aggregate if there is nothing new, so that nothing is written. */
export function asKnown<A extends Counted>(
  factId: string,
  aggregate: A,
  flags: readonly Flag[],
): AppliedFact<A> {
  const isNoted = flags.every((flag) => aggregate.flags.includes(flag));
  const noted = isNoted ? aggregate : { ...aggregate, flags: unionOfFlags(aggregate.flags, flags) };
  return { kind: "known", factId, flags, aggregate: noted };
}
