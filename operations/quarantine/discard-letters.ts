import type { HeldMessage } from "../dead-letters/held-message.ts";
import { openQueue } from "../dead-letters/message-queue.ts";
import {
  type Verdict,
  type Walk,
  type WalkOptions,
  walkQueue,
} from "../dead-letters/walk-queue.ts";
import type { Target } from "../target/target.ts";
import { describeFinding } from "./describe-finding.ts";
import { findAllQuarantined, loadFindings } from "./find-quarantined.ts";
import { findingOfLetter } from "./find-record.ts";
import { chooseCandidates } from "./list-quarantine.ts";
import type { QuarantinedItem } from "./quarantined-item.ts";

/** What a discard would do. */
export interface DiscardPlan {
  readonly discard: readonly QuarantinedItem[];
  /** Items that are not discarded: there is no dead letter, or it is the only copy of a callback. */
  readonly refused: readonly QuarantinedItem[];
  /** Events that a configured subscriber still misses. Without the dead letter nothing would remind of them. */
  readonly missed: readonly QuarantinedItem[];
}

export interface Discarded {
  readonly deleted: number;
  readonly end: Walk["end"];
  readonly failure?: unknown;
}

/** Throws `not-found` or `ambiguous-id` if an id does not name one item. */
export async function planDiscard(
  target: Target,
  ids: readonly string[],
  options: WalkOptions = {},
): Promise<DiscardPlan> {
  const { candidates } = await findAllQuarantined(target, options);
  const findings = await loadFindings(chooseCandidates(candidates, ids));
  const items = findings.map((finding) => describeFinding(target, finding));
  return {
    discard: items.filter(mayDiscard),
    refused: items.filter((item) => !isKept(item)),
    missed: items.filter((item) => isKept(item) && isMissed(item)),
  };
}

function mayDiscard(item: QuarantinedItem): boolean {
  return isKept(item) && !isMissed(item);
}

/** What is authentic is never lost: a dead letter goes only if a record keeps the callback, or if it is not one. */
function isKept({ kind, where }: QuarantinedItem): boolean {
  return where === "both" || kind === "foreign";
}

function isMissed({ kind, pending }: QuarantinedItem): boolean {
  return kind === "undeliverable" && pending.length > 0;
}

/** Deletes dead letters, never a record. */
export async function discardLetters(
  target: Target,
  { discard }: DiscardPlan,
  options: WalkOptions = {},
): Promise<Discarded> {
  const ids = discard.map(({ id }) => id);
  await target.audit("quarantine-discard", { count: ids.length, ids });
  const visit = async (letter: HeldMessage): Promise<Verdict> => {
    const item = describeFinding(target, await findingOfLetter(target, letter));
    return ids.includes(item.id) && mayDiscard(item) ? "moved" : "kept";
  };
  const queue = openQueue(target, target.inbox.deadLettersUrl);
  const { moved, end, failure } = await walkQueue(queue, visit, options);
  return { deleted: moved, end, failure };
}
