import type { Target } from "../target/target.ts";
import { describeFinding } from "./describe-finding.ts";
import type { Finding, QuarantinedItem, RecordKey } from "./quarantined-item.ts";

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
  /** Its record, if it has no visible dead letter. */
  readonly record: { readonly key: RecordKey; readonly group: string } | undefined;
  /** Undefined if it was processed or deleted since. */
  readonly load: () => Promise<Finding | undefined>;
}

/** A candidate of which everything is read. */
export function candidateOf(target: Target, finding: Finding): Candidate {
  const { letter, record, key } = finding;
  const item = describeFinding(target, finding);
  const { id, at, reason, merchantId } = item;
  const isRecordOnly = letter === undefined && record !== undefined && key !== undefined;
  return {
    ...{ id, at, reason, merchantId, item },
    group: record?.group ?? letter?.group,
    recordedAt: record?.recordedAt,
    record: isRecordOnly ? { key, group: record.group } : undefined,
    load: async () => finding,
  };
}
