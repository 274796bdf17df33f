import { unionOfFlags } from "../facts/flags.ts";
import type { Aggregate } from "../orders/aggregate-store.ts";
import type { CallbackRecord } from "./callback-record.ts";
import type { Plan } from "./plan-receipt.ts";

/**
 * After a table was restored to an earlier time, an aggregate may lack a fact that has its record (invariant 18). Returns
 * the aggregate with the fact, to be written alone: nothing is published again. It takes the higher sequence, so that no
 * later event has a sequence that consumers have seen. Undefined if the aggregate lacks nothing.
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
  // A known fact may have been published under another id: then only applying it shows whether it is there.
  const isMissing =
    aggregate.facts[record.factId] === undefined && (record.outcome === "published" || isNews);
  // The record of the first receipt alone has the sequence. Without it, the next number is free.
  const sequence = record.outcome === "published" ? record.sequence : aggregate.sequence + 1;
  const isBehind = record.outcome === "published" && aggregate.sequence < sequence;
  // What only a repeat has told, such as the transaction: without it, the next payment would be taken for this one.
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

/** Those of the event. Applied again, the fact may look odd because of what is lost. */
function withFlagsOf(record: CallbackRecord, before: Aggregate, applied: Aggregate): Aggregate {
  const kept = before.flags.filter((flag) => applied.flags.includes(flag));
  return { ...applied, flags: unionOfFlags(kept, record.flags) };
}
