import { unionOfFlags } from "../facts/flags.ts";
import type { Aggregate } from "../orders/aggregate-store.ts";
import type { CallbackRecord } from "./callback-record.ts";
import type { Plan } from "./plan-receipt.ts";

/**
 * After a table is restored to an earlier time, an aggregate may lack a fact that has a record. Returns the aggregate
 * with the fact, to be written alone: nothing is published again. It takes the higher sequence, so that no later event
 * reuses a sequence that consumers have seen. Returns undefined if the aggregate lacks nothing.
 *
 * `plan` is what the receipt would lead to if it had no record.
 */
export function restoreFact(
  aggregate: Aggregate,
  plan: Plan,
  record: CallbackRecord,
): Aggregate | undefined {
  if (record.outcome === "quarantined") return undefined;
  const isNews = plan.record.outcome === "published";
  // A known fact may have been published under another id. Only applying it shows whether the aggregate has it.
  const isMissing =
    aggregate.facts[record.factId] === undefined && (record.outcome === "published" || isNews);
  // Only the record of the first receipt has the sequence. Without it, the next number is free.
  const sequence = record.outcome === "published" ? record.sequence : aggregate.sequence + 1;
  const isBehind = record.outcome === "published" && aggregate.sequence < sequence;
  // A detail that only the repeat reported, such as the transaction. Without it, the next payment would be taken for
  // this one.
  const isLearned = record.outcome === "known-fact" && !isNews && plan.aggregate !== undefined;
  if (isLearned) return withFlagsOf(record, aggregate, plan.aggregate);
  if (!isMissing && !isBehind) return undefined;
  const applied = isMissing ? (plan.aggregate ?? aggregate) : aggregate;
  return {
    ...withFlagsOf(record, aggregate, applied),
    facts: { ...aggregate.facts, [record.factId]: sequence },
    sequence: Math.max(aggregate.sequence, sequence),
  };
}

/** Takes the flags of the event. When the fact is applied again, it may look odd because of what the table lost. */
function withFlagsOf(record: CallbackRecord, before: Aggregate, applied: Aggregate): Aggregate {
  const kept = before.flags.filter((flag) => applied.flags.includes(flag));
  return { ...applied, flags: unionOfFlags(kept, record.flags) };
}
