import type { HeldMessage } from "../dead-letters/held-message.ts";
import { openQueue } from "../dead-letters/message-queue.ts";
import { lookAtQueue, type Walk, type WalkOptions } from "../dead-letters/walk-queue.ts";
import { fewAtOnce } from "../few-at-once.ts";
import type { Target } from "../target/target.ts";
import { type Candidate, candidateOf } from "./candidate.ts";
import { kindOf } from "./describe-finding.ts";
import { findingOfLetter, findingOfRecord } from "./find-record.ts";
import type { Finding } from "./quarantined-item.ts";
import { type IndexedRecord, quarantinedRecords } from "./quarantined-records.ts";
import { isInScope, type Place, type Scope, scopeOf } from "./scope.ts";
import { undeliveredRecords } from "./undelivered-records.ts";

export interface Quarantine {
  /** Newest first. */
  readonly candidates: readonly Candidate[];
  /** Dead letters that were not seen; `end` says why. */
  readonly hiddenLetters: number;
  /**
   * `empty`: SQS showed no more. The rest waits behind others of the same order, or somebody else holds it.
   * `bound`: the walk came to its own limit. `stopped`: the operator ended it.
   */
  readonly end: Walk["end"];
  /** Where it was looked; undefined means everywhere. */
  readonly scope: Scope | undefined;
  /** When SQS got the newest of the letters that were seen; 0 if there were none. */
  readonly newestLetterMilliseconds: number;
}

export interface LookOptions extends WalkOptions {
  /** Hears how many recorded events were looked at so far. */
  readonly onRecords?: ((looked: number) => void) | undefined;
}

/**
 * Everything that needs a person, each thing once. Looking counts as a receive of each dead letter. Events whose dead
 * letter is gone are only found within a scope, because no index has them.
 */
export async function findQuarantined(
  target: Target,
  options: LookOptions = {},
  place: Place = {},
): Promise<Quarantine> {
  const scope = await scopeOf(target, place);
  const queue = openQueue(target, target.inbox.deadLettersUrl);
  const { visible, inFlight } = await queue.count();
  const letters: HeldMessage[] = [];
  const walk = await lookAtQueue(queue, (letter) => void letters.push(letter), options);
  const findings = await fewAtOnce(letters, (letter) => findingOfLetter(target, letter));
  const candidates = new Map<string, Candidate>();
  const add = (one: Candidate) => candidates.has(one.id) || candidates.set(one.id, one);
  for (const finding of findings) add(candidateOf(target, finding));
  for (const record of await quarantinedRecords(target)) add(candidateOfRecord(target, record));
  const undelivered = scope ? await findUndelivered(target, scope, options) : [];
  for (const finding of undelivered) add(candidateOf(target, finding));
  const found = [...candidates.values()].filter((one) => !scope || isInScope(one, scope));
  return {
    candidates: found.sort((one, other) => other.at.localeCompare(one.at)),
    hiddenLetters: Math.max(0, visible + inFlight - letters.length),
    end: options.stopped?.aborted === true ? "stopped" : walk.end,
    scope,
    newestLetterMilliseconds: letters.reduce(newest, 0),
  };
}

/** The same for work that needs everything: throws what `stopped` was told, if it was stopped on the way. */
export async function findAllQuarantined(
  target: Target,
  options: LookOptions,
  place?: Place,
): Promise<Quarantine> {
  const found = await findQuarantined(target, options, place);
  options.stopped?.throwIfAborted();
  return found;
}

/** If the operator stops it, what was found in the dead letters is still shown. */
async function findUndelivered(
  target: Target,
  scope: Scope,
  { stopped, onRecords, now }: LookOptions,
): Promise<readonly Finding[]> {
  const options = { stopped, onRecords, ...(now && { now }) };
  return await undeliveredRecords(target, scope, options).catch((error: unknown) => {
    if (stopped?.aborted === true) return [];
    throw error;
  });
}

function newest(soFar: number, { sentAtMilliseconds }: HeldMessage): number {
  return Math.max(soFar, sentAtMilliseconds);
}

/** Everything about some candidates, in their order, without those that were processed meanwhile. */
export async function loadFindings(candidates: readonly Candidate[]): Promise<readonly Finding[]> {
  const loaded = await fewAtOnce(candidates, ({ load }) => load());
  return loaded.filter((finding) => finding !== undefined);
}

function candidateOfRecord(target: Target, record: IndexedRecord): Candidate {
  const load = async () => {
    const finding = await findingOfRecord(target, record.key);
    // The index is a moment behind: the record may have been processed just now.
    return finding && kindOf(finding) === "quarantined" ? finding : undefined;
  };
  const { key, group, at: recordedAt } = record;
  return { ...record, recordedAt, item: undefined, record: { key, group, hasLetter: false }, load };
}
