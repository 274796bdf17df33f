import { chooseByPrefix } from "../dead-letters/message-ids.ts";
import type { WalkOptions } from "../dead-letters/walk-queue.ts";
import type { Target } from "../target/target.ts";
import { describeFinding } from "./describe-finding.ts";
import { type Candidate, findQuarantined, loadFindings } from "./find-quarantined.ts";
import type { QuarantinedItem } from "./quarantined-item.ts";

export interface QuarantineFilter {
  readonly reason?: string | undefined;
  readonly merchantId?: string | undefined;
}

export interface QuarantineList {
  readonly items: readonly QuarantinedItem[];
  /** How many match besides those in `items`. */
  readonly more: number;
  readonly hiddenLetters: number;
  readonly stopped: boolean;
}

/** Newest first. */
export async function listQuarantine(
  target: Target,
  { limit, ...filter }: QuarantineFilter & { readonly limit: number },
  options: WalkOptions = {},
): Promise<QuarantineList> {
  const { candidates, hiddenLetters, stopped } = await findQuarantined(target, options);
  const matching = candidates.filter((candidate) => matches(candidate, filter));
  const findings = await loadFindings(matching.slice(0, limit));
  const items = findings.map((finding) => describeFinding(target, finding));
  return { items, more: Math.max(0, matching.length - limit), hiddenLetters, stopped };
}

export function matches(
  one: Pick<Candidate, "reason" | "merchantId">,
  { reason, merchantId }: QuarantineFilter,
): boolean {
  if (reason !== undefined && one.reason !== reason) return false;
  return merchantId === undefined || one.merchantId === merchantId;
}

/** The candidates that the ids, or beginnings of ids, name. Throws `not-found` or `ambiguous-id`. */
export function chooseCandidates(
  candidates: readonly Candidate[],
  ids: readonly string[],
): readonly Candidate[] {
  return [...new Set(ids.map((id) => chooseByPrefix(candidates, id, (one) => one.id)))];
}
