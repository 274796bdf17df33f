import type { Target } from "../target/target.ts";
import { describeFinding } from "./describe-finding.ts";
import type { Finding, QuarantinedItem, RecordKey } from "./quarantined-item.ts";

/** The record of a candidate, and whether it also has a visible dead letter. */
export interface CandidateRecord {
  readonly key: RecordKey;
  readonly group: string;
  readonly hasLetter: boolean;
}

/** Something that needs a person, before everything about it is read. */
export interface Candidate {
  readonly id: string;
  readonly at: string;
  readonly reason: string | undefined;
  readonly merchantId: string | undefined;
  /** The aggregate that it is about, if that is known. */
  readonly group: string | undefined;
  readonly recordedAt: string | undefined;
  /** Undefined if only the index was read: then it is a quarantined record. */
  readonly item: QuarantinedItem | undefined;
  readonly record: CandidateRecord | undefined;
  /** Undefined if it was processed or deleted since. */
  readonly load: () => Promise<Finding | undefined>;
}

/** A candidate of which everything is read. */
export function candidateOf(target: Target, finding: Finding): Candidate {
  const { letter, record, key } = finding;
  const item = describeFinding(target, finding);
  const { id, at, reason, merchantId } = item;
  const hasLetter = letter !== undefined;
  return {
    ...{ id, at, reason, merchantId, item },
    group: record?.group ?? letter?.group,
    recordedAt: record?.recordedAt,
    record: record && key && { key, group: record.group, hasLetter },
    load: async () => finding,
  };
}
