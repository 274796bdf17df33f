import type { WalkOptions } from "../dead-letters/walk-queue.ts";
import type { Target } from "../target/target.ts";
import { describeFinding } from "./describe-finding.ts";
import { type Candidate, findQuarantined, loadFindings } from "./find-quarantined.ts";
import { chooseCandidates, matches, type QuarantineFilter } from "./list-quarantine.ts";
import type { QuarantinedItem } from "./quarantined-item.ts";
import type { IndexedRecord } from "./quarantined-records.ts";

const sampleSize = 5;

/** Ids, or beginnings of ids; or a filter, where an empty filter means everything. */
export type Selection = { readonly ids: readonly string[] } | { readonly filter: QuarantineFilter };

/** What a redrive would do. */
export interface QuarantineRedrivePlan {
  readonly ids: readonly string[];
  readonly sample: readonly QuarantinedItem[];
  /** The chosen records that have no visible dead letter. */
  readonly records: readonly IndexedRecord[];
  /** Undeliverable only to subscribers that are not configured any more: a redrive would fail again. */
  readonly gone: readonly QuarantinedItem[];
  /** Foreign messages that the filter would choose. They can never be processed, so only their id chooses them. */
  readonly foreign: readonly QuarantinedItem[];
  readonly selection: Selection;
  /** Chooses dead letters that become visible during the redrive, too. */
  readonly filter: QuarantineFilter | undefined;
  readonly hiddenLetters: number;
  /** When SQS got the newest letter that was seen. This machine's clock may be behind the one of SQS. */
  readonly newestLetterMilliseconds: number;
}

/** Throws `not-found` or `ambiguous-id` if an id does not name one item. */
export async function planQuarantineRedrive(
  target: Target,
  selection: Selection,
  options: WalkOptions = {},
): Promise<QuarantineRedrivePlan> {
  const found = await findQuarantined(target, options);
  const { candidates, hiddenLetters, newestLetterMilliseconds } = found;
  const chosen = choose(candidates, selection);
  // A record's candidate is always quarantined. Only a dead letter can be undeliverable, and it is loaded already.
  const letters = await loadFindings(chosen.filter(({ record }) => record === undefined));
  const items = letters.map((finding) => describeFinding(target, finding));
  const gone = items.filter(isForGone);
  const foreign = "filter" in selection ? items.filter(isForeign) : [];
  const leftOut = new Set([...gone, ...foreign].map(({ id }) => id));
  const left = chosen.filter(({ id }) => !leftOut.has(id));
  const sample = await loadFindings(left.slice(0, sampleSize));
  return {
    ids: left.map(({ id }) => id),
    sample: sample.map((finding) => describeFinding(target, finding)),
    records: left.flatMap(({ record }) => record ?? []),
    gone,
    foreign,
    selection,
    filter: "filter" in selection ? selection.filter : undefined,
    hiddenLetters,
    newestLetterMilliseconds,
  };
}

function choose(candidates: readonly Candidate[], selection: Selection): readonly Candidate[] {
  if ("ids" in selection) return chooseCandidates(candidates, selection.ids);
  return candidates.filter((candidate) => matches(candidate, selection.filter));
}

export function isForGone({ kind, pending, gone }: QuarantinedItem): boolean {
  return kind === "undeliverable" && pending.length === 0 && gone.length > 0;
}

export function isForeign({ kind }: QuarantinedItem): boolean {
  return kind === "foreign";
}
