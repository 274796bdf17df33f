import { unionOfFlags } from "../facts/flags.ts";
import type { Aggregate } from "../orders/aggregate-store.ts";
import type { CallbackRecord, KnownFactRecord, PublishedRecord } from "./callback-record.ts";
import type { Plan } from "./plan-receipt.ts";

type FactRecord = PublishedRecord | KnownFactRecord;

/** What the aggregate has of the fact of a record. `behind`: the fact, and a lower sequence than its event. */
type Has = "fact" | "behind" | "nothing";
/** What the receipt would lead to if it had no record: an event, or only a detail of a known fact. */
type Adds = "event" | "detail" | "nothing";

/**
 * - `keep`: the aggregate lacks nothing.
 * - `learn`: it lacks a detail that only this receipt reported, such as the transaction. Without it, the next payment
 *   would be taken for this one.
 * - `raise`: it lacks only the sequence.
 * - `restore`: it lacks the fact.
 */
type Restoring = "keep" | "learn" | "raise" | "restore";

const always = (restoring: Restoring) =>
  ({ event: restoring, detail: restoring, nothing: restoring }) as const;

/** A known fact may have been published under another id. Only applying it shows whether the aggregate has it. */
const knownFact = { event: "restore", detail: "learn", nothing: "keep" } as const;
/** A query may return the same status of a refund again, after a callback has reported another one. */
const heldPublishedFact = { ...always("keep"), detail: "learn" } as const;
const heldKnownFact = { ...knownFact, event: "keep" } as const;

const restorings: Readonly<
  Record<"published" | "known-fact", Record<Has, Record<Adds, Restoring>>>
> = {
  published: { fact: heldPublishedFact, behind: always("raise"), nothing: always("restore") },
  "known-fact": { fact: heldKnownFact, behind: heldKnownFact, nothing: knownFact },
};

/**
 * After a table is restored to an earlier time, an aggregate may lack a fact that has a record. Returns the aggregate
 * with the fact, to be written alone: nothing is published again. Returns undefined if the aggregate lacks nothing.
 *
 * `plan` is what the receipt would lead to if it had no record.
 */
export function restoreFact(
  aggregate: Aggregate,
  plan: Plan,
  record: CallbackRecord,
): Aggregate | undefined {
  if (record.outcome === "quarantined") return undefined;
  const planned = plan.aggregate ?? aggregate;
  switch (restorings[record.outcome][heldBy(aggregate, record)][addedBy(plan)]) {
    case "keep":
      return undefined;
    case "learn":
      return withFlagsOf(record, aggregate, planned);
    case "raise":
      return withSequence(record, aggregate, aggregate);
    case "restore":
      return withSequence(
        record,
        aggregate,
        withPublishedId(planned, plan.record.factId, record.factId),
      );
  }
}

function heldBy(aggregate: Aggregate, record: FactRecord): Has {
  if (aggregate.facts[record.factId] === undefined) return "nothing";
  const isBehind = record.outcome === "published" && aggregate.sequence < record.sequence;
  return isBehind ? "behind" : "fact";
}

function addedBy({ record, aggregate }: Plan): Adds {
  if (record.outcome === "published") return "event";
  return aggregate === undefined ? "nothing" : "detail";
}

/** Only the record of the first receipt has the sequence of the event. Without it, the next number is free. */
function sequenceOf(record: FactRecord, { sequence }: Aggregate): number {
  return record.outcome === "published" ? record.sequence : sequence + 1;
}

/** Takes the higher sequence, so that no later event reuses one that consumers have seen. */
function withSequence(record: FactRecord, before: Aggregate, applied: Aggregate): Aggregate {
  const sequence = sequenceOf(record, before);
  return {
    ...withFlagsOf(record, before, applied),
    facts: { ...before.facts, [record.factId]: sequence },
    sequence: Math.max(before.sequence, sequence),
  };
}

/** The fact keeps the id under which it was published, even if it would get another one now. */
function withPublishedId(applied: Aggregate, planned: string, published: string): Aggregate {
  if (applied.kind === "payment" || planned === published) return applied;
  const rename = <F extends { readonly factId: string }>(fact: F): F =>
    fact.factId === planned ? { ...fact, factId: published } : fact;
  return {
    ...applied,
    successes: applied.successes.map(rename),
    statements: applied.statements.map(rename),
  };
}

/** Takes the flags of the event. When the fact is applied again, it may look odd because of what the table lost. */
function withFlagsOf(record: FactRecord, before: Aggregate, applied: Aggregate): Aggregate {
  const kept = before.flags.filter((flag) => applied.flags.includes(flag));
  return { ...applied, flags: unionOfFlags(kept, record.flags) };
}
