import type { Target } from "../target/target.ts";
import type { Candidate, CandidateRecord } from "./candidate.ts";
import { describeFinding } from "./describe-finding.ts";
import {
  findAllQuarantined,
  type LookOptions,
  loadFindings,
  type Quarantine,
} from "./find-quarantined.ts";
import { chooseCandidates, matches, type QuarantineFilter } from "./list-quarantine.ts";
import type { QuarantinedItem } from "./quarantined-item.ts";
import { isInScope, type Place } from "./scope.ts";

const sampleSize = 5;

/** Ids, or beginnings of ids, and where to look for them; or a filter, where an empty filter means everything. */
export type Selection =
  | (Place & { readonly ids: readonly string[] })
  | { readonly filter: QuarantineFilter };

/** What a redrive would do. */
export interface QuarantineRedrivePlan {
  readonly ids: readonly string[];
  readonly sample: readonly QuarantinedItem[];
  readonly records: readonly CandidateRecord[];
  /** Undeliverable only to subscribers that are not configured any more: a redrive would fail again. */
  readonly gone: readonly QuarantinedItem[];
  /** Foreign messages that the filter would choose. They can never be processed, so only their id chooses them. */
  readonly foreign: readonly QuarantinedItem[];
  readonly selection: Selection;
  /** With a filter, it also chooses dead letters that become visible during the redrive. */
  readonly isChosen: (candidate: Candidate) => boolean;
  readonly hiddenLetters: number;
  /** The command came to its own limit before it had seen every dead letter. */
  readonly atLimit: boolean;
  /** When SQS got the newest letter that was seen. This machine's clock may be behind the one of SQS. */
  readonly newestLetterMilliseconds: number;
}

/** Throws `not-found` or `ambiguous-id` if an id does not name one item, or what `stopped` was told. */
export async function planQuarantineRedrive(
  target: Target,
  selection: Selection,
  options: LookOptions = {},
): Promise<QuarantineRedrivePlan> {
  const place = "filter" in selection ? selection.filter : selection;
  const found = await findAllQuarantined(target, options, place);
  const { candidates, hiddenLetters, newestLetterMilliseconds } = found;
  const chosen = choose(candidates, selection);
  const items = chosen.flatMap(({ item }) => item ?? []);
  const gone = items.filter(isForGone);
  const foreign = "filter" in selection ? items.filter(isForeign) : [];
  const leftOut = new Set([...gone, ...foreign].map(({ id }) => id));
  const left = chosen.filter(({ id }) => !leftOut.has(id));
  const sample = await loadFindings(left.slice(0, sampleSize));
  const ids = left.map(({ id }) => id);
  return {
    ids,
    sample: sample.map((finding) => describeFinding(target, finding)),
    records: left.flatMap(({ record }) => record ?? []),
    ...{ gone, foreign, selection, hiddenLetters, newestLetterMilliseconds },
    isChosen: chooserOf(ids, selection, found),
    atLimit: found.end === "bound",
  };
}

function chooserOf(ids: readonly string[], selection: Selection, { scope }: Quarantine) {
  const chosen = new Set(ids);
  return (one: Candidate): boolean => {
    if (one.item !== undefined && isForGone(one.item)) return false;
    if (chosen.has(one.id)) return true;
    if ("ids" in selection || (one.item !== undefined && isForeign(one.item))) return false;
    return matches(one, selection.filter) && (scope === undefined || isInScope(one, scope));
  };
}

function choose(candidates: readonly Candidate[], selection: Selection): readonly Candidate[] {
  if ("ids" in selection) return chooseCandidates(candidates, selection.ids);
  return candidates.filter((candidate) => matches(candidate, selection.filter));
}

export function isForGone({ kind, pending, gone }: QuarantinedItem): boolean {
  return kind === "undeliverable" && pending.length === 0 && gone.length > 0;
}

function isForeign({ kind }: QuarantinedItem): boolean {
  return kind === "foreign";
}
