import { chooseByPrefix } from "../dead-letters/message-ids.ts";
import type { Target } from "../target/target.ts";
import type { Candidate } from "./candidate.ts";
import { describeFinding } from "./describe-finding.ts";
import { findQuarantined, type LookOptions, loadFindings } from "./find-quarantined.ts";
import type { Finding, QuarantinedItem } from "./quarantined-item.ts";
import type { Place } from "./scope.ts";

/** Everything that is given must match. */
export interface QuarantineFilter extends Place {
  readonly reason?: string | undefined;
}

export interface QuarantineList {
  readonly items: readonly QuarantinedItem[];
  /** How many match besides those in `items`. */
  readonly more: number;
  readonly hiddenLetters: number;
  readonly stopped: boolean;
  /** The command came to its own limit before it had seen every dead letter. */
  readonly atLimit: boolean;
}

/** A list, and everything that was found out about its items, so that nobody has to look again to show one. */
export interface QuarantineLook {
  readonly list: QuarantineList;
  /** Those of `list.items`, in the same order. */
  readonly findings: readonly Finding[];
}

/** Newest first. */
export async function listQuarantine(
  target: Target,
  filter: QuarantineFilter & { readonly limit: number },
  options: LookOptions = {},
): Promise<QuarantineList> {
  return (await lookAtQuarantine(target, filter, options)).list;
}

export async function lookAtQuarantine(
  target: Target,
  { limit, ...filter }: QuarantineFilter & { readonly limit: number },
  options: LookOptions = {},
): Promise<QuarantineLook> {
  const { candidates, hiddenLetters, end } = await findQuarantined(target, options, filter);
  const matching = candidates.filter((candidate) => matches(candidate, filter));
  const findings = await loadFindings(matching.slice(0, limit));
  const items = findings.map((finding) => describeFinding(target, finding));
  const more = Math.max(0, matching.length - limit);
  const ended = { stopped: end === "stopped", atLimit: end === "bound" };
  return { list: { items, more, hiddenLetters, ...ended }, findings };
}

/** The place of the filter is not looked at here: the candidates are in it. */
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
